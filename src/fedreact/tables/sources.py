"""Where the scores of cells lie, as the workflow tells the commands that read scores.

A command gets these records as JSON (:func:`fedreact.reading.read_typed`). The module loads fast,
since the workflow writes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class ScoreSource:
    """Where the scores of a method lie.

    Attributes
    ----------
    folder
        Folder of its job's scores, one file per seed.
    method
        Its name there.
    """

    folder: str
    method: str


@dataclass(frozen=True)
class CellSource:
    """A cell of a table, or a curve of a figure, and where its scores lie.

    Attributes
    ----------
    row, column
        Labels of a cell; panel and curve of a figure.
    folder, method
        As those of :class:`ScoreSource`.
    skipped
        Why the method cannot run there; ``None`` if it can.
    unlike
        What this scale does otherwise than the paper in this cell, beside what it does in all.
    """

    row: str
    column: str
    folder: str
    method: str
    skipped: str | None = None
    unlike: Sequence[str] = ()
