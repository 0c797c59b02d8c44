"""The contract of a study: a file of this folder that defines ``STUDY``.

A study needs no data: it computes, or counts. It is a frozen dataclass, whose fields are its
options (:mod:`fedreact.options`), with what :class:`Study` has. A table or figure names it by its
file (``study: {kind: costs, ...}``).
"""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol


class Study(Protocol):
    """Computes lines of a csv without data.

    Attributes
    ----------
    COLUMNS
        Columns of its csv. Tables are made from ``row, column, value``.
    """

    COLUMNS: ClassVar[tuple[str, ...]]

    def run(self, seeds: Sequence[int]) -> Iterator[Sequence[Any]]:
        """Yield the lines of its csv; ``seeds`` are those of random numbers, if it draws any."""
