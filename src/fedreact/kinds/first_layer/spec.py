"""Attention of the server's first layer during ASO-Fed's training (Fig. 5.6 of its chapter)."""

from dataclasses import dataclass
from typing import Any

from fedreact.kinds.asynchronous import spec as asynchronous
from fedreact.kinds.contract import Method
from fedreact.options import NonNegative

NEEDS = ()
TRAINS = True
PER_METHOD = ()
MEMORY_MB = asynchronous.MEMORY_MB
INDEX = ("round", "channel")
METHOD = "aso-fed"


@dataclass(frozen=True)
class Options(asynchronous.Options):
    """Options of a run on the simulated clock, and lambda.

    Attributes
    ----------
    lam
        Weight of the pull towards the model received, lambda of eq. 5.7.
    """

    lam: NonNegative = 1.0


def check(options: Options, partitioner: Any) -> None:
    """Check as a run on the simulated clock does."""
    asynchronous.check(options, partitioner)


def job(method: Method, options: Options) -> str:
    """Return the name of the one job: there are no methods."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """Return the threads of a run on the simulated clock."""
    return asynchronous.threads(options, n_clients)
