"""Each client sends the means of its labels; the server averages them over rounds."""

from dataclasses import dataclass

from fedreact.kinds.contract import Method
from fedreact.options import Count

NEEDS = ()
TRAINS = False
PER_METHOD = ()
MEMORY_MB = (500, 0)
INDEX = ("method", "round")


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Attributes
    ----------
    rounds
        Rounds, each with half of a client's samples.
    """

    rounds: Count = 2


def job(method: Method, options: Options) -> str:
    """A job a method."""
    return method.name


def threads(options: Options, n_clients: int) -> int:
    """One."""
    return 1
