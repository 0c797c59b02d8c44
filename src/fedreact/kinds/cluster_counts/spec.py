"""Number of clusters by several criteria, round by round, on the similarities that are clustered.

The criteria share the local fits of a round. In no paper: appendix E of Fed-REACT (arXiv) shows two
criteria for one number of clusters.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from fedreact.clients.partitioners.contract import train_samples
from fedreact.errors import UserError
from fedreact.kinds.clustered.spec import TaskModelOptions
from fedreact.kinds.contract import Method
from fedreact.options import Count

NEEDS = ("features",)
TRAINS = False
PER_METHOD = ()
MEMORY_MB = (1500, 0)
INDEX = ("method", "round")


@dataclass(frozen=True)
class Options(TaskModelOptions):
    """Options of a run; task models, their clustering and AFFECT are those of Phase 2.

    Attributes
    ----------
    samples
        Labelled samples that each client draws in a round, |M|; all, if it has fewer.
    rounds
        Communication rounds.
    max_clusters
        Largest number of clusters to try, at most the number of clients.
    affect_iterations
        AFFECT iterations per round.
    affect_start
        Smoothed similarities before round 1: zeros, or those of the first round.
    """

    samples: Count = 64
    rounds: Count = 20
    max_clusters: Annotated[int, msgspec.Meta(ge=3)] = 10
    affect_iterations: Count = 5
    affect_start: Literal["zeros", "first"] = "zeros"


def check(options: Options, partitioner: Any) -> None:
    """Refuse more samples a round than a client of the partition has."""
    most = train_samples(partitioner)
    if most is not None and options.samples > most:
        raise UserError(
            f"cluster_counts: samples: {options.samples} is more than the {most} train samples of "
            "a client (samples_per_client less the test share)"
        )


def job(method: Method, options: Options) -> str:
    """Return one job's name for all criteria."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """Return 1: a run takes seconds."""
    return 1
