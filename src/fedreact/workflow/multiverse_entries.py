"""``multiverse.yaml`` of a paper: settings, methods and claims of its multiverse."""

from dataclasses import dataclass
from typing import Literal

from fedreact.options import Count, Natural


@dataclass(frozen=True)
class MultiverseSpec:
    """The multiverse of a paper. What is varied is in its ledger (``varied``).

    Attributes
    ----------
    kind
        Kind of run.
    metric, score
        What a universe gives for each method; the mean over rounds, or the last round's.
    settings
        Number of universes by scale, for each setting.
    methods
        Names of methods that run in each universe.
    claims
        Claims whose differences between these methods are shown.
    seed
        The sample of universes is drawn from it.
    """

    kind: str
    metric: str
    settings: dict[str, dict[str, Count]]
    methods: tuple[str, ...]
    claims: tuple[str, ...]
    score: Literal["mean", "last"] = "mean"
    seed: Natural = 0
