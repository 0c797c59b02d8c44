"""What a claim compares under one reading of its paper, as the workflow tells the command.

The command that judges claims gets these records as JSON (:func:`fedreact.reading.read_typed`).
The module loads fast, since the workflow writes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fedreact.tables.sources import ScoreSource


@dataclass(frozen=True)
class Contrast:
    """One comparison of a claim.

    Attributes
    ----------
    at, left, right
        Labels.
    ours, theirs
        Sources of the scores that are compared; ``theirs`` is a number where a claim is about one.
    published
        Difference of the published values, as claimed positive; ``None`` where one is missing.
    margin
        The smallest difference that matters here; that of the claim, if none is given.
    chance
        Score of a random guess, if there is one.
    trivial
        Sources of the scores of predictors that learn nothing, by label.
    """

    at: str
    left: str
    right: str
    ours: ScoreSource
    theirs: ScoreSource | float
    published: float | None = None
    margin: float | None = None
    chance: float | None = None
    trivial: Mapping[str, ScoreSource] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimReading:
    """A claim under one reading of what its paper leaves open.

    Attributes
    ----------
    claim
        Its name.
    reading
        Entry of the ledger and alternative; empty for the defaults.
    relation, over
        As in :class:`fedreact.claims.contract.Claim`.
    sign
        1 where higher is claimed of left, -1 where lower; 0 for equality.
    metric
        The metric that it is judged by.
    margin
        The margin of the average over the contrasts, and of contrasts without one of their own.
    last
        Whether scores are those of the last round.
    contrasts
        What is compared.
    reaching
        Score at which the metric, a cost, is read: see
        :func:`fedreact.tables.reached.until_the_worse`.
    better
        Better direction of the metric.
    table
        Name of the claim's table, if the average is over datasets: rows of one dataset are averaged
        first, and rows with the flag of :mod:`fedreact.tables.trivial` do not count. ``None``: the
        average is over all contrasts alike.
    """

    claim: str
    reading: str
    relation: str
    sign: int
    metric: str
    margin: float
    over: str
    last: bool
    contrasts: Sequence[Contrast]
    reaching: str | None = None
    better: Literal["higher", "lower"] = "higher"
    table: str | None = None
