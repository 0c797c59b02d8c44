"""The .ts files of the UCR and UEA archives (timeseriesclassification.com).

A file has lines of metadata (``@classLabel true a b``), then ``@data``, then a series a line: its
dimensions with colons between them, values with commas, and at the end the label or target.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.errors import UserError
from fedreact.io.archives import Archive, Case
from fedreact.io.contract import Recordings

MISSING = ("?", "NaN", "nan", "")


@dataclass(frozen=True)
class Ts(Archive):
    """A .ts file of the UCR and UEA archives; a line is a series."""

    SUFFIXES: ClassVar[tuple[str, ...]] = (".ts",)
    TITLE: ClassVar[str] = ".ts of the UCR and UEA archives"

    def read(self, source: str) -> Recordings:
        """Read the file, and the file of test series, if one is named."""
        return self.recordings(Path(source), cases)


def cases(path: Path) -> Iterator[Case]:
    """Yield the series of a file.

    Raises
    ------
    UserError
        A line is no series.
    """
    about: dict[str, str] = {}
    with path.open(encoding="utf-8", errors="replace") as file:
        lines = enumerate(file, 1)
        for _, line in lines:
            line = line.strip()
            if line.lower() == "@data":
                break
            if line.startswith("@"):
                key, _, value = line[1:].partition(" ")
                about[key.lower()] = value.strip().lower()
        else:
            raise UserError(f"{path}: it has no line @data, so it is no .ts file")
        if about.get("timestamps") == "true":
            raise UserError(f"{path}: series with timestamps (@timestamps true) cannot be read")
        labelled = about.get("classlabel", "true").split()[:1] == ["true"]
        targeted = about.get("targetlabel", "").split()[:1] == ["true"]
        for number, line in lines:
            if line.strip():
                yield _case(line.strip(), f"{path}, line {number}", labelled, targeted)


def _case(line: str, where: str, labelled: bool, targeted: bool) -> Case:
    """Read a line."""
    parts = line.split(":")
    label, target = None, None
    try:
        if targeted:
            target = float(parts.pop())
        elif labelled:
            label = parts.pop().strip()
        dimensions = [
            np.array([np.nan if x.strip() in MISSING else float(x) for x in part.split(",")])
            for part in parts
        ]
    except ValueError as error:
        raise UserError(f"{where}: {error}") from None
    return Case(dimensions, label, target, where)


READER = Ts
