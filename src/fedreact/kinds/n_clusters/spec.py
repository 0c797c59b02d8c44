"""Number of clusters, by the task models of a round (Fed-REACT, arXiv appendix E)."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from fedreact.clients.partitioners.contract import train_samples
from fedreact.clustering.hierarchical import Linkage
from fedreact.errors import UserError
from fedreact.kinds.contract import Method
from fedreact.options import Count, Natural, Positive, Sizes

NEEDS = ("features",)
TRAINS = False
PER_METHOD = ()
MEMORY_MB = (1500, 0)
INDEX = ("samples", "n_clusters")


@dataclass(frozen=True)
class Options:
    """Options of an estimate.

    Attributes
    ----------
    samples
        Labelled samples |M| per client, with one curve for each number.
    rounds
        Rounds to average over.
    max_clusters
        Largest number of clusters to try, at most the number of clients.
    feature_scaling, C, loss, regressor, penalty, linkage
        As in Phase 2.
    sgd_epochs, sgd_batch_size, sgd_learning_rate
        As in Phase 2.
    """

    samples: Sizes = (16, 32, 64, 128, 256)
    rounds: Count = 5
    max_clusters: Annotated[int, msgspec.Meta(ge=3)] = 10
    feature_scaling: Literal["none", "spread", "standard"] = "none"
    C: Positive = 1.0
    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    regressor: Literal["sgd", "ridge", "mean", "last"] = "sgd"
    penalty: Positive = 1.0
    sgd_epochs: Count = 100
    sgd_batch_size: Count = 50
    sgd_learning_rate: Positive = 0.001
    linkage: Linkage = "ward"


def check(options: Options, partitioner: Any) -> None:
    """Refuse curves of more samples than a client of the partition has."""
    most, wanted = train_samples(partitioner), max(options.samples)
    if most is not None and wanted > most:
        raise UserError(
            f"n_clusters: samples: {wanted} is more than the {most} train samples of a client "
            "(samples_per_client less the test share)"
        )


def job(method: Method, options: Options) -> str:
    """There are no methods; one job."""
    return "all"


def threads(options: Options, n_clients: int) -> Natural:
    """One: an estimate takes seconds."""
    return 1
