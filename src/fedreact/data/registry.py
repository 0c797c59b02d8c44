"""The registry of datasets: sources, tasks and digests of their files."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from fedreact import options
from fedreact.errors import UserError
from fedreact.reading import read_yaml
from fedreact.task import Task


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
        SHA-256 of its bytes; ``None`` where they may differ between copies.
    """

    names: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    url: str | None
    sha256: str | None = None


@dataclass(frozen=True)
class FileList:
    """Files of a dataset that has too many to register each by itself.

    Attributes
    ----------
    url
        Address of the folder that they lie in, or ``None`` if a person has to fetch them.
    sha256
        By the path of a file below that folder; in the registry, the name of the file beside it
        that lists them.
    """

    url: str | None
    sha256: str | dict[str, str] = field(repr=False)


@dataclass(frozen=True)
class DatasetEntry:
    """The entry of one dataset in the registry.

    Attributes
    ----------
    title, page, licence, citation
        For people; ``page`` and ``citation`` may be ``None``.
    task
        What it is, as far as it can be known before it is read.
    role
        Its role in papers, e.g. ``digits``; the first available dataset of a role is used.
        ``None``: it has no role but its own.
    mirror
        The mirror's folder that holds the files, or ``None``.
    files
        By the name that its reader has for each; empty if the dataset is computed.
    listed
        The files instead of ``files``, of which a run may want but some (see :meth:`only`).
    content_sha256
        The :func:`~fedreact.data.files.content_sha256` of the right data, or ``None`` if it is not
        known.
    steps
        What a person must do to get the files, one line; ``None`` if they can be downloaded.
    scales
        Options of its reader by scale: the part of it that is used. A scale that is ``like``
        another one and has no entry uses the other's.
    owners
        Number of people (or stations, arms) behind its series by scale, where known before it is
        read: the number of clients if each is one.
    name
        As in :attr:`SeriesDataset.name <fedreact.data.dataset.SeriesDataset.name>`.
    file
        Registry file with this entry.
    """

    title: str
    licence: str
    task: Task
    page: str | None = None
    citation: str | None = None
    role: str | None = None
    mirror: str | None = None
    files: dict[str, DataFile] = field(default_factory=dict)
    listed: FileList | None = None
    content_sha256: str | None = None
    steps: str | None = None
    scales: dict[str, dict[str, Any]] = field(default_factory=dict)
    owners: dict[str, options.Natural] = field(default_factory=dict)
    name: str = ""
    file: str = ""

    def only(self, paths: Iterable[str]) -> "DatasetEntry":
        """Return the entry with these of its listed files as ``files``.

        Raises
        ------
        UserError
            If one is not in the list.
        """
        files = {}
        if self.listed is None or isinstance(self.listed.sha256, str):
            raise UserError(f"{self.name}: its entry in {self.file} has no list of files")
        for path in paths:
            if path not in self.listed.sha256:
                raise UserError(f"{self.name}: {path} is not in the list of its files")
            url = None if self.listed.url is None else f"{self.listed.url}/{path}"
            files[path] = DataFile((path,), url, self.listed.sha256[path])
        return replace(self, files=files, listed=None)


def registries(config: Path = Path("config")) -> list[Path]:
    """List the registries of the current folder: the project's own first, then those of papers."""
    return [config / "datasets.yaml", *sorted(config.glob("papers/*/datasets.yaml"))]


def load_registry(*paths: Path) -> dict[str, DatasetEntry]:
    """Read registries: ``config/datasets.yaml``, and those that papers bring with them.

    Raises
    ------
    UserError
        If one cannot be read, an entry lacks a key or has an unknown one, or two have one name.
    """
    registry: dict[str, DatasetEntry] = {}
    for path in paths:
        keys = options.part_of(DatasetEntry, without=("name", "file"))
        checked: dict[str, object] = options.check_all(keys, read_yaml(path), str(path))
        for name, content in checked.items():
            entry = DatasetEntry(**options.vars_of(content))
            if name in registry:
                raise UserError(f"{path}: {name} is in another registry, too; give it another name")
            if entry.listed is not None:
                listed = replace(entry.listed, sha256=_listed(path, entry.listed.sha256))
                entry = replace(entry, listed=listed)
            registry[name] = replace(entry, name=name, file=str(path))
    return registry


def _listed(registry: Path, file: object) -> dict[str, str]:
    """Read the lines that ``sha256sum`` writes, a digest and a path, as digests by path."""
    path = registry.parent / str(file)
    try:
        lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: no list of files ({error})") from error
    if wrong := [n for n, line in enumerate(lines, 1) if len(line) != 2 or len(line[0]) != 64]:
        raise UserError(f"{path}: line {wrong[0]} is not a SHA-256 and a path")
    return {name: digest for digest, name in lines}
