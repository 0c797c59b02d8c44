"""Counts of a setting's data and baselines without training.

What can be said of series without training (``kinds/facts/algorithms/``) is scored.
"""

from dataclasses import dataclass

from fedreact.kinds.contract import Method

NEEDS = ()
TRAINS = False
PER_METHOD = ()
MEMORY_MB = (1000, 0)
INDEX = ("method", "round")


@dataclass(frozen=True)
class Options:
    """There is nothing to choose."""


def job(method: Method, options: Options) -> str:
    """One job."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """One: it counts and scores."""
    return 1
