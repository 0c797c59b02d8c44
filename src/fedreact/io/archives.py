"""Files of archives of series, whose lines are series: what readers of them share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.errors import UserError
from fedreact.io.contract import Reader, Recording, Recordings
from fedreact.options import Natural


@dataclass(frozen=True)
class Case:
    """A series of an archive.

    Attributes
    ----------
    dimensions
        Values of each channel.
    label, target
        What is to be predicted, if it is a label or if it is a number.
    where
        File and line, for messages.
    client
        The client who holds it, if the line names one.
    """

    dimensions: list[np.ndarray]
    label: str | None
    target: float | None
    where: str
    client: str | None = None


@dataclass(frozen=True)
class Archive(Reader):
    """Options of readers of archives.

    Attributes
    ----------
    clients
        File that names the client of each series, one a line, in the order of the series; those of
        the test file come last.
    dimension
        Number of the dimension (from 1) whose value is the client; it is no channel.
    test
        A second file of the same kind, whose series are marked for testing.
    """

    clients: str | None = None
    dimension: Natural | None = None
    test: str | None = None

    def recordings(self, path: Path, read: Callable[[Path], Iterator[Case]]) -> Recordings:
        """Read a file, and the file of test series, if one is named."""
        files = [path, *([Path(self.test)] if self.test else [])]
        for file in files:
            if not file.is_file():
                raise UserError(f"{file}: no such file")
        named = [(case, file is not path) for file in files for case in read(file)]
        if not named:
            raise UserError(f"{path}: it has no series")
        who = self._clients(len(named))
        parts = [
            self._recording(case, tested if self.test else None, client)
            for (case, tested), client in zip(named, who)
        ]
        widths = {part.values.shape[1] for part in parts}
        if len(widths) > 1:
            raise UserError(f"{path}: series have {min(widths)} to {max(widths)} dimensions")
        hidden = self.dimension or 0
        channels = [f"dimension {d + 1 + (0 < hidden <= d + 1)}" for d in range(widths.pop())]
        targets = ("target",) if parts[0].target is not None else ()
        return Recordings(tuple(channels), parts, targets, files)

    def _clients(self, n: int) -> list[str | None]:
        """Return the client of each series, if a file names them."""
        if self.clients is None:
            return [None] * n
        try:
            lines = Path(self.clients).read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise UserError(f"{self.clients}: {error.strerror}") from None
        names = [line.strip() for line in lines]
        while names and not names[-1]:
            names.pop()
        if len(names) != n:
            raise UserError(f"{self.clients}: it names {len(names)} clients for {n} series")
        return list(names)

    def _recording(self, case: Case, tested: bool | None, client: str | None) -> Recording:
        """Make a recording of a series."""
        dimensions, client = list(case.dimensions), client or case.client
        if self.dimension is not None:
            if not 1 <= self.dimension <= len(dimensions):
                raise UserError(f"{case.where}: there is no dimension {self.dimension}")
            value = dimensions.pop(self.dimension - 1)
            if not dimensions or len(np.unique(value)) != 1:
                raise UserError(
                    f"{case.where}: dimension {self.dimension} has several values, so it does not "
                    "name a client"
                )
            client = f"{value[0]:g}"
        if len({len(values) for values in dimensions}) != 1:
            raise UserError(f"{case.where}: its dimensions have different numbers of steps")
        values = np.stack(dimensions, axis=1)
        target = None if case.target is None else np.full((len(values), 1), case.target)
        return Recording(values, case.where, client, label=case.label, target=target, tested=tested)
