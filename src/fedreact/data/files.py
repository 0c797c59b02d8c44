"""Where the files of the datasets are: registered, looked for, downloaded, checked."""

import hashlib
import http.client
import os
import struct
import threading
import urllib.request
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path

import numpy as np

from fedreact.errors import UserError

CHUNK = 1 << 16  # bytes


@dataclass(frozen=True)
class DataFile:
    """One file of a dataset.

    Attributes
    ----------
    names
        The names it may have on disk; a download gets the first.
    url
        Its address, or ``None`` if a person has to fetch it.
    sha256
        Of its bytes; ``None`` where they may differ between copies.
    """

    names: tuple[str, ...]
    url: str | None
    sha256: str | None = None


@dataclass(frozen=True)
class FileList:
    """Files of a dataset that has too many to register each by itself.

    Attributes
    ----------
    url
        Address of the folder that they lie in.
    sha256
        By the path of a file below that folder.
    """

    url: str
    sha256: dict[str, str] = field(repr=False)


@dataclass(frozen=True)
class DatasetEntry:
    """What the registry says of one dataset.

    Attributes
    ----------
    name
        As in :attr:`SeriesDataset.name <fedreact.data.dataset.SeriesDataset.name>`.
    title, page, licence, citation
        For people; ``page`` and ``citation`` are ``None`` where there is none.
    files
        By the parameter of the dataset's ``read`` that takes the file's content; empty if the
        dataset is computed.
    mirror
        The mirror's folder that holds the files, or ``None``.
    content_sha256
        The :func:`content_sha256` of the right data, or ``None`` if it is not known.
    steps
        What a person has to do to get the files, one line, or ``None`` if they can be downloaded.
    listed
        The files instead of ``files``, of which a run may want but some (see :meth:`only`).
    """

    name: str
    title: str
    page: str | None
    licence: str
    citation: str | None
    mirror: str | None
    content_sha256: str | None
    steps: str | None
    files: dict[str, DataFile]
    listed: FileList | None = None

    def only(self, paths: Iterable[str]) -> "DatasetEntry":
        """Return the entry with these of its listed files as ``files``.

        Raises
        ------
        UserError
            If one is not in the list.
        """
        files = {}
        for path in paths:
            if path not in self.listed.sha256:
                raise UserError(f"{self.name}: {path} is not in the list of its files")
            url = f"{self.listed.url}/{path}"
            files[path] = DataFile((path,), url, self.listed.sha256[path])
        return replace(self, files=files, listed=None)


def load_registry(path: Path) -> dict[str, DatasetEntry]:
    """Read the registry, ``config/datasets.yaml``.

    Raises
    ------
    UserError
        If it cannot be read, or an entry lacks a key or has an unknown one.
    """
    import yaml  # only the workflow needs it

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        return {name: _entry(path, name, entry) for name, entry in content.items()}
    except UserError:
        raise
    except Exception as error:  # also a key that is missing, a 13th month, brackets without end
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not a readable registry of datasets ({reason})") from error


def _entry(path: Path, name: str, given: dict) -> DatasetEntry:
    _check_keys(path, name, given, DatasetEntry)
    files = {}
    for parameter, file in given["files"].items():
        _check_keys(path, f"{name}: {parameter}", file, DataFile)
        files[parameter] = DataFile(**{**file, "names": tuple(file["names"])})
    listed = given.get("listed")
    if listed is not None:
        _check_keys(path, f"{name}: listed", listed, FileList)
        listed = FileList(listed["url"], _read_list(path.parent / listed["sha256"]))
    return DatasetEntry(**{**given, "name": name, "files": files, "listed": listed})


def _read_list(path: Path) -> dict[str, str]:
    """Read what ``sha256sum`` writes: a digest and a path in each line."""
    lines = [line.split() for line in path.read_text().splitlines()]
    if wrong := [n for n, line in enumerate(lines, 1) if len(line) != 2 or len(line[0]) != 64]:
        raise UserError(f"{path}: line {wrong[0]} is not a SHA-256 and a path")
    return {name: digest for digest, name in lines}


def _check_keys(path: Path, where: str, given: dict, kind: type) -> None:
    known = {f.name for f in fields(kind)} - {"name"}
    optional = {f.name for f in fields(kind) if f.default is not MISSING}
    wrong = (set(given) ^ known) - (optional - set(given))
    if wrong:
        raise UserError(f"{path}: {where}: missing or unknown {', '.join(sorted(map(str, wrong)))}")


def locate(
    entry: DatasetEntry, data_folder: Path, mirror: Path | None = None
) -> dict[str, Path] | None:
    """Find the files of a dataset on disk.

    Parameters
    ----------
    entry
        The dataset.
    data_folder
        Looked in first, at ``<data_folder>/<dataset>/``.
    mirror
        Looked in next, at ``<mirror>/<entry.mirror>/``.

    Returns
    -------
    dict or None
        Each file's path, by the parameter of ``read``; ``None`` if any is missing.
    """
    found = {
        parameter: find(entry, file, data_folder, mirror) for parameter, file in entry.files.items()
    }
    return None if None in found.values() else found


def find(
    entry: DatasetEntry, file: DataFile, data_folder: Path, mirror: Path | None = None
) -> Path | None:
    """Find one file of a dataset on disk, as :func:`locate` does."""
    folders = [data_folder / entry.name]
    if mirror is not None and entry.mirror is not None:
        folders.append(mirror / entry.mirror)
    return next(
        (path for folder in folders for n in file.names if (path := folder / n).is_file()), None
    )


def check_file(file: DataFile, path: Path) -> None:
    """Compare a file's bytes with the registered ones, if they are.

    Raises
    ------
    UserError
        If they differ.
    """
    if file.sha256 is None:
        return
    if (found := _sha256(path)) != file.sha256:
        raise UserError(
            f"{path}: not the registered file (SHA-256 {found}, expected {file.sha256}); "
            "delete it and run again"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def missing_message(entry: DatasetEntry, data_folder: Path) -> str:
    """Return one line on where to get the files of a dataset and where to put them."""
    names = " and ".join(file.names[0] for file in entry.files.values())
    steps = entry.steps or " and ".join(f"get {file.url}" for file in entry.files.values())
    return f"{entry.name}: {names} not found; {steps} and put them into {data_folder / entry.name}/"


def offline() -> bool:
    """Return whether the environment variable ``FEDREACT_OFFLINE`` forbids using the network."""
    return os.environ.get("FEDREACT_OFFLINE", "") not in ("", "0")


def download(
    url: str, destination: Path, timeout: float = 60, *, sha256: str | None = None
) -> None:
    """Download a file; ``destination`` appears whole or not at all.

    Parameters
    ----------
    url
        The address, http or https.
    destination
        The file to write; its folder is made if needed.
    timeout
        Seconds to wait for an answer, and for each further part of it.
    sha256
        What the file has to have, or ``None``.

    Raises
    ------
    UserError
        If the file cannot be had whole, or ``FEDREACT_OFFLINE`` is set. Nothing is left behind.
    """
    remedy = (
        f"place the file in {destination.parent}/ by hand, or set data_mirror or "
        "FEDREACT_DATA_MIRROR to a folder that has it"
    )
    if offline():
        raise UserError(f"{url}: not downloaded, as FEDREACT_OFFLINE is set; {remedy}")
    part = destination.with_name(f".{destination.name}.{os.getpid()}.part")
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(url, timeout=timeout) as answer, part.open("wb") as file:
            while chunk := answer.read(CHUNK):
                file.write(chunk)
            file.flush()
            announced = answer.headers.get("Content-Length")
            if announced is not None and file.tell() != int(announced):
                raise OSError(f"{file.tell()} of {announced} bytes received")
            if sha256 is not None and (found := _sha256(part)) != sha256:
                raise OSError(f"SHA-256 {found} received, {sha256} expected")
            os.fsync(file.fileno())
        part.replace(destination)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{url}: download failed ({reason}); {remedy}") from error
    finally:
        with suppress(OSError):
            part.unlink()


def reachable(url: str, timeout: float = 3) -> bool:
    """Return whether a download from ``url`` would start, within ``timeout`` seconds.

    Asks for the file and reads only the answer's head, since some servers refuse HEAD. It is False
    where ``FEDREACT_OFFLINE`` is set, and never raises.
    """
    if offline():
        return False
    answered = threading.Event()

    def ask():
        with (
            suppress(OSError, http.client.HTTPException, ValueError),
            closing(urllib.request.urlopen(url, timeout=timeout)),
        ):
            answered.set()

    # In a thread, as nothing else bounds the time that looking up a host name takes.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout)
    return answered.is_set()


def content_sha256(
    series: Iterable[np.ndarray], labels: Sequence[int], writers: Sequence[int] | None = None
) -> str:
    """Return the SHA-256 of a dataset's content, whatever the bytes of its files.

    It is taken over the values as recorded, before normalisation: their float64 form is exact,
    so the digest is the same on every machine.

    Parameters
    ----------
    series
        The recorded values, each ``[channels, length]``.
    labels, writers
        Of each series.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    digest = hashlib.sha256()
    if writers is None:
        writers = [-1] * len(labels)
    for values, label, writer in zip(series, labels, writers, strict=True):
        digest.update(struct.pack("<4q", *values.shape, label, writer))
        digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
    return digest.hexdigest()


def check_content(
    name: str,
    expected: str | None,
    series: Iterable[np.ndarray],
    labels: Sequence[int],
    writers: Sequence[int] | None = None,
) -> None:
    """Compare a dataset's :func:`content_sha256` with the one ``expected``, unless that is None.

    Raises
    ------
    UserError
        If they differ.
    """
    if expected is None:
        return
    found = content_sha256(series, labels, writers)
    if found != expected:
        raise UserError(
            f"{name}: the files hold other data than registered (content SHA-256 {found}, "
            f"expected {expected}); delete them and fetch them anew"
        )
