"""Counts of a setting's data, and scores of baselines without training."""

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
    """Return the name of the one job."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """Return 1: a run counts and scores."""
    return 1
