"""Number of clusters, by the task models of a round (Fed-REACT, arXiv appendix E)."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from fedreact.clients.partitioners.contract import train_samples
from fedreact.errors import UserError
from fedreact.kinds.clustered.spec import TaskModelOptions
from fedreact.kinds.contract import Method
from fedreact.options import Count, Sizes

NEEDS = ("features",)
TRAINS = False
PER_METHOD = ()
MEMORY_MB = (1500, 0)
INDEX = ("samples", "n_clusters")


@dataclass(frozen=True)
class Options(TaskModelOptions):
    """Options of an estimate; task models and their clustering are those of Phase 2.

    Attributes
    ----------
    samples
        Labelled samples |M| per client, with one curve for each number.
    rounds
        Rounds to average over.
    max_clusters
        Largest number of clusters to try, at most the number of clients.
    """

    samples: Sizes = (16, 32, 64, 128, 256)
    rounds: Count = 5
    max_clusters: Annotated[int, msgspec.Meta(ge=3)] = 10


def check(options: Options, partitioner: Any) -> None:
    """Refuse curves of more samples than a client of the partition has."""
    most, largest = train_samples(partitioner), max(options.samples)
    if most is not None and largest > most:
        raise UserError(
            f"n_clusters: samples: {largest} is more than the {most} train samples of a client "
            "(samples_per_client less the test share)"
        )


def job(method: Method, options: Options) -> str:
    """Return one job's name: there are no methods."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """Return 1: an estimate takes seconds."""
    return 1
