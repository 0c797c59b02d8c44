"""The contract of a reader of a user's files: a file of ``io/readers/`` that defines ``READER``.

A reader is a frozen dataclass below :class:`Reader`, whose fields are its options
(:mod:`fedreact.options`). ``fedreact import`` has all of them as its own. Options of one name mean
the same in all readers. A reader of a user's own is a file below ``own/io/readers/``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact import plugins
from fedreact.errors import UserError

FOLDER, DEFINES = "io/readers", "READER"


@dataclass(frozen=True)
class Recording:
    """Steps of one client, as a file has them: a series, or a recording to be cut into windows.

    Attributes
    ----------
    values
        ``float64 [R, channels]``, NaN where values are missing.
    where
        File, and part of it, for messages.
    client, trial
        Names, or ``None``.
    time
        ``float64 [R]`` seconds from one origin for all recordings; ``None`` if not known.
    rate
        Steps in a second, if there is no ``time`` and it is known.
    label
        One label, or strings ``[R]``, one for each step; an empty string is no label. ``None`` if
        there are no labels.
    target
        ``float64 [R, M]``: numbers that are to be predicted, in each step.
    tested
        Whether it is kept for testing; ``None`` if nothing says so.
    """

    values: np.ndarray
    where: str
    client: str | None = None
    trial: str | None = None
    time: np.ndarray | None = None
    rate: float | None = None
    label: np.ndarray | str | None = None
    target: np.ndarray | None = None
    tested: bool | None = None

    def part(self, which: np.ndarray) -> "Recording":
        """Return the recording of some of its steps."""

        def some(values: np.ndarray | None) -> np.ndarray | None:
            return None if values is None else values[which]

        label = self.label[which] if isinstance(self.label, np.ndarray) else self.label
        return Recording(
            self.values[which],
            self.where,
            self.client,
            self.trial,
            some(self.time),
            self.rate,
            label,
            some(self.target),
            self.tested,
        )


@dataclass(frozen=True)
class Recordings:
    """All recordings of some files.

    Attributes
    ----------
    channels, targets
        Names of the channels, and of the numbers that are to be predicted.
    parts
        The recordings, those of a client in the order of time.
    files
        Files that were read.
    notes
        Sentences on what was left out, for the summary.
    """

    channels: tuple[str, ...]
    parts: list[Recording]
    targets: tuple[str, ...] = ()
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Reader:
    """Base of readers."""

    SUFFIXES: ClassVar[tuple[str, ...]] = ()
    """Ends of names of files that it reads, in lower case; of none, it must be asked for."""
    FOLDERS: ClassVar[bool] = False
    """Whether it reads all files of a folder, too."""
    TITLE: ClassVar[str] = ""
    """What it reads, for help."""

    def read(self, source: str) -> Recordings | dict[str, np.ndarray]:
        """Read a file, a folder, or what a name stands for.

        Returns
        -------
        Recordings or dict
            Recordings; or the arrays of docs/howto/own_data.md, where series are cut already.

        Raises
        ------
        UserError
            One line: what is wrong with which file.
        """
        raise NotImplementedError


def formats() -> list[str]:
    """Name the formats that can be read, a user's own after the project's."""
    return plugins.names(FOLDER, DEFINES)


def load(name: str) -> type[Reader]:
    """Load the reader of a format.

    Raises
    ------
    UserError
        There is none of this name.
    """
    reader: type[Reader] = plugins.load(FOLDER, name, DEFINES)
    return reader


def recognise(source: str) -> str:
    """Tell the format of a file or folder by its name, or by the files in it.

    Raises
    ------
    UserError
        Nothing is there, or no reader knows such files.
    """
    path = Path(source)
    if path.is_dir():
        there = sorted(file for file in path.rglob("*") if file.is_file())
        names = [
            name
            for name in formats()
            if load(name).FOLDERS and any(_ends(file, load(name).SUFFIXES) for file in there)
        ]
        if not names:
            known = ", ".join(_suffixes(folders=True))
            raise UserError(f"{source}: no file in this folder ends in {known}")
        return max(names, key=lambda name: sum(_ends(f, load(name).SUFFIXES) for f in there))
    if not path.is_file():
        raise UserError(f"{source}: no such file or folder (--format names what is no file)")
    for name in formats():
        if _ends(path, load(name).SUFFIXES):
            return name
    known = ", ".join(_suffixes(folders=False))
    raise UserError(f"{source}: its format is unknown; known are {known}; or name it by --format")


def files_of(source: str, suffixes: Sequence[str]) -> list[Path]:
    """Return a file, or all files of a folder that end so, sorted.

    Raises
    ------
    UserError
        There is no such file.
    """
    path = Path(source)
    if not path.exists():
        raise UserError(f"{source}: no such file or folder")
    if path.is_file():
        return [path]
    if files := sorted(file for file in path.rglob("*") if _ends(file, suffixes)):
        return files
    raise UserError(f"{source}: no file in this folder ends in {', '.join(suffixes)}")


def _ends(path: Path, suffixes: Sequence[str]) -> bool:
    """Tell whether the name of a visible file ends so."""
    return path.name.lower().endswith(tuple(suffixes)) and not path.name.startswith(".")


def _suffixes(folders: bool) -> list[str]:
    readers = [load(name) for name in formats()]
    return sorted(
        {s for reader in readers if reader.FOLDERS or not folders for s in reader.SUFFIXES}
    )
