"""Files of the datasets: where they are, how they are downloaded and checked."""

import hashlib
import http.client
import importlib.util
import os
import struct
import threading
import urllib.request
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from fedreact.data.registry import DataFile, DatasetEntry
from fedreact.errors import UserError

CHUNK = 1 << 16  # bytes
MIRRORS = "FEDREACT_DATA_MIRROR"
"""Environment variable that names folders with copies of raw files."""
MANY = 5
"""From more files on, messages name the first alone."""
Numbers = Sequence[int] | np.ndarray


def mirrors(value: str | None) -> tuple[Path, ...]:
    """Return the folders that a text such as ``FEDREACT_DATA_MIRROR`` names.

    :data:`os.pathsep` separates them, as it does those of ``PATH``. Empty names are left out.
    """
    return tuple(Path(part) for part in (value or "").split(os.pathsep) if part)


def locate(
    entry: DatasetEntry, data_folder: Path, mirrors: Sequence[Path] = ()
) -> dict[str, Path] | None:
    """Find the files of a dataset on disk.

    Parameters
    ----------
    entry
        The dataset.
    data_folder
        Looked in first, at ``<data_folder>/<dataset>/``.
    mirrors
        Looked in next, in this order, each at ``<mirror>/<entry.mirror>/``.

    Returns
    -------
    dict or None
        Each file's path, by its name in the registry; ``None`` if any is missing.
    """
    paths = {}
    for parameter, file in entry.files.items():
        if (path := find(entry, file, data_folder, mirrors)) is None:
            return None
        paths[parameter] = path
    return paths


def find(
    entry: DatasetEntry, file: DataFile, data_folder: Path, mirrors: Sequence[Path] = ()
) -> Path | None:
    """Find one file of a dataset on disk, as :func:`locate` does: the first folder that has it."""
    folders = places(entry, data_folder, mirrors)
    return next(
        (path for folder in folders for name in file.names if (path := folder / name).is_file()),
        None,
    )


def places(entry: DatasetEntry, data_folder: Path, mirrors: Sequence[Path] = ()) -> list[Path]:
    """List the folders in which the files of a dataset are looked for, in this order."""
    mirrored = [] if entry.mirror is None else [mirror / entry.mirror for mirror in mirrors]
    return [data_folder / entry.name, *mirrored]


def check_file(file: DataFile, path: Path) -> None:
    """Compare a file's bytes with the registered ones, if they are.

    Raises
    ------
    UserError
        If they differ.
    """
    if file.sha256 is None:
        return
    if (digest := _sha256(path)) != file.sha256:
        raise UserError(
            f"{path}: not the registered file (SHA-256 {digest}, expected {file.sha256}); "
            "delete it and run again"
        )


def file_of_package(package: str, path: str) -> Path | None:
    """Find a file that an installed package brings, without importing the package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    file = Path(spec.origin).parent / path
    return file if file.is_file() else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def missing_message(entry: DatasetEntry, data_folder: Path, mirrors: Sequence[Path] = ()) -> str:
    """Return one line on which files of a dataset are missing, where they were looked for, where to
    get them, and where to put them."""
    folders = places(entry, data_folder, mirrors)
    missing = [f for f in entry.files.values() if find(entry, f, data_folder, mirrors) is None]
    names = [file.names[0] for file in missing]
    if len(names) > MANY:
        names = [names[0], f"{len(names) - 1} other files"]
    steps = entry.steps or " and ".join(f"get {file.url}" for file in missing[:MANY])
    return (
        f"{entry.name}: {' and '.join(names)} not found (looked in "
        f"{', '.join(f'{folder}/' for folder in folders)}); {steps} and put them into {folders[0]}/"
    )


def offline() -> bool:
    """Return whether the environment variable ``FEDREACT_OFFLINE`` forbids using the network."""
    return os.environ.get("FEDREACT_OFFLINE", "") not in ("", "0")


def download(
    url: str,
    destination: Path,
    timeout: float = 60,
    *,
    sha256: str | None = None,
    looked_in: Sequence[Path] = (),
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
        The digest that the file must have; ``None``: any.
    looked_in
        Folders that do not have the file, for the error.

    Raises
    ------
    UserError
        If the whole file does not arrive, or ``FEDREACT_OFFLINE`` is set. Nothing is left behind.
    """
    remedy = (
        f"place the file in {destination.parent}/ by hand, or set data_mirror or "
        "FEDREACT_DATA_MIRROR to a folder that has it"
    )
    if looked_in:
        remedy += f" (looked in {', '.join(f'{folder}/' for folder in looked_in)})"
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
            if sha256 is not None and (digest := _sha256(part)) != sha256:
                raise OSError(f"SHA-256 {digest} received, {sha256} expected")
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

    def ask() -> None:
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
    series: Iterable[np.ndarray], labels: Numbers, writers: Numbers | None = None
) -> str:
    """Return the SHA-256 of a dataset's content, whatever the bytes of its files.

    It is taken over the values as recorded, before normalisation: their float64 form is exact,
    so the digest is the same on every machine.

    Parameters
    ----------
    series
        The recorded values, each ``[channels, length]``.
    labels, writers
        Label and writer of each series.

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
    labels: Numbers,
    writers: Numbers | None = None,
) -> None:
    """Compare a dataset's :func:`content_sha256` with the one ``expected``, unless that is None.

    Raises
    ------
    UserError
        If they differ.
    """
    if expected is None:
        return
    digest = content_sha256(series, labels, writers)
    if digest != expected:
        raise UserError(
            f"{name}: the files hold other data than registered (content SHA-256 {digest}, "
            f"expected {expected}); delete them and download them again"
        )
