"""A claim: a statement of a paper as contrasts of cells of its tables."""

import re
from dataclasses import dataclass
from typing import Literal

from fedreact.options import Positive

OWN = re.compile(r"in no paper\b")
"""Beginning of the source of a claim that no paper makes."""


@dataclass(frozen=True)
class Claim:
    """An entry of ``claims.yaml``.

    Attributes
    ----------
    claim, source
        The statement in our words, and where the paper makes it.
    table
        The table with the compared cells. In a table of costs to a score (``reaching``), the costs
        of two methods to reach the weaker method's final score are compared, seed by seed.
    relation
        ``better`` and ``worse`` by the metric's direction; ``higher``, ``lower``; ``equal`` within
        the margin.
    left, right
        Labels: ``left`` is compared with each of ``right``.
    value
        Instead of ``right``: a number that is compared with.
    at
        Labels of the other axis of the table where this is claimed; all, if none is given.
    compare
        Axis of the labels ``left`` and ``right``; by default the columns.
    metric
        The table's first, if none is given.
    margin
        The smallest difference that matters, in the metric's unit; as
        :mod:`fedreact.claims.margins` says, if none is given.
    over
        Whether it is claimed of every contrast, or of their average.
    ledger
        Entries of the ledger that it may hang on: it is judged under their alternatives, too.
    """

    claim: str
    source: str
    table: str
    relation: Literal["better", "worse", "higher", "lower", "equal"]
    left: str
    right: tuple[str, ...] = ()
    value: float | None = None
    at: tuple[str, ...] = ()
    compare: Literal["columns", "rows"] = "columns"
    metric: str | None = None
    margin: Positive | None = None
    over: Literal["every", "average"] = "every"
    ledger: tuple[str, ...] = ()
