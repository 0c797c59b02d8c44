"""Simple strong baselines: models on summary features of series, without a federation.

Each client fits a model to its own train samples. A method with ``pooled: true`` fits one model to
the train samples of all clients in one place. That is no federation: it shows what a federation
could reach if clients gave their data away.
"""

from dataclasses import dataclass

from fedreact.kinds.contract import Method, Role, job_name
from fedreact.options import Natural

NEEDS = ()
TRAINS = False
PER_METHOD = ("pooled", "recent")
MEMORY_MB = (1500, 0)
INDEX = ("method", "round")


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Attributes
    ----------
    pooled
        Whether one model is fitted to the train samples of all clients in one place; otherwise each
        client fits its own.
    recent
        Last values of each channel that are features of a regression; ``null``: 8, or none for
        labels.
    """

    pooled: bool = False
    recent: Natural | None = None


def job(method: Method, options: Options) -> str:
    """Name a job after what the method changes in its run."""
    return job_name("all", method.of_run)


def threads(options: Options, n_clients: int) -> int:
    """Return 1: a run takes seconds."""
    return 1


def role(method: Method, options: Options) -> Role:
    """Return ``pooled`` for one model of all clients' samples, else ``simple``."""
    return "pooled" if method.of_run.get("pooled", options.pooled) else "simple"
