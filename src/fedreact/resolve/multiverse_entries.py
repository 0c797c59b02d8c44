"""``multiverse.yaml`` of a paper: settings, methods and claims of its multiverse."""

from dataclasses import dataclass, field
from typing import Any, Literal

from fedreact.options import Count, Natural

Sizes = dict[str, dict[str, Count]]
"""Numbers of universes by scale, for each setting."""


@dataclass(frozen=True)
class Tuned:
    """Universes in which each method has its best options by validation.

    Attributes
    ----------
    settings
        Number of universes by scale, for each setting.
    candidates
        Most options that a method chooses from.
    seeds
        Seeds of validation, which no table uses: their partitions hold no sample that tables are
        tested on.
    options
        Options of validation runs, e.g. ``validate: true``.
    """

    settings: Sizes
    candidates: Count
    seeds: tuple[Natural, ...]
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class MultiverseSpec:
    """The multiverse of a paper. What is varied is in its ledger (``varied``).

    Attributes
    ----------
    kind
        Kind of run.
    metric, score
        What a universe gives for each method: the mean over rounds, or the last round's. A ledger
        may vary ``score``.
    settings
        Number of universes by scale, for each setting.
    methods
        Names of methods that run in each universe.
    claims
        Claims whose differences between these methods are shown.
    tuned
        Universes in which methods choose their own options.
    over
        Choice whose values are shown one by one, by its key or its option, e.g. ``steps``.
    nearest
        Table to whose published cells the nearest universes are sought.
    seed
        The sample of universes is drawn from it.
    """

    kind: str
    metric: str
    settings: Sizes
    methods: tuple[str, ...]
    claims: tuple[str, ...]
    tuned: Tuned | None = None
    over: str = ""
    nearest: str = ""
    score: Literal["mean", "last"] = "mean"
    seed: Natural = 0
