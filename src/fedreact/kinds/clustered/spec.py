"""Phase 2 of Fed-REACT and its baselines: rounds of local fits, clustering, aggregation.

All methods of a setting are one job: they share the local fits of a round, which are most of the
work.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec

from fedreact.clients.partitioners.contract import train_samples
from fedreact.clustering.hierarchical import Linkage
from fedreact.clustering.n_clusters import Criterion
from fedreact.errors import UserError
from fedreact.kinds.contract import Method
from fedreact.options import Count, Positive, Share
from fedreact.plugins import Named

NEEDS = ("features",)
TRAINS = False
PER_METHOD = ("n_clusters",)
MEMORY_MB = (1500, 0)
INDEX = ("method", "round")
NEWCOMERS = True


@dataclass(frozen=True, kw_only=True)
class TaskModelOptions:
    """Options of the models that clients fit, and of their clustering.

    Attributes
    ----------
    feature_scaling
        Scaling of features over the clients' train samples: to mean 0 and variance 1
        (``standard``), by one number, their common spread (``spread``), or ``none``. Features of a
        regression are always standardised.
    C
        Inverse regularisation C of the SVM.
    loss
        Loss of the SVM.
    regressor
        Task model of a regression: a linear layer trained by Adam (``sgd``), ``ridge``, or
        ``ridge-cv``, whose penalty has the smallest leave-one-out error of a client; ``mean`` and
        ``last`` are baselines without a model.
    penalty
        Penalty of ridge.
    sgd_epochs, sgd_batch_size, sgd_learning_rate
        Epochs, batch size and learning rate of ``sgd``.
    linkage
        Linkage of the agglomerative clustering.
    """

    feature_scaling: Literal["none", "spread", "standard"] = "none"
    C: Positive = 1.0
    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    regressor: Literal["sgd", "ridge", "ridge-cv", "mean", "last"] = "sgd"
    penalty: Positive = 1.0
    sgd_epochs: Count = 100
    sgd_batch_size: Count = 50
    sgd_learning_rate: Positive = 0.001
    linkage: Linkage = "ward"


@dataclass(frozen=True)
class Options(TaskModelOptions):
    """Options of a run (Algorithm 2; ICLR section 4.1.2 and appendix C).

    Attributes
    ----------
    rounds
        Communication rounds.
    samples_per_round
        Labelled samples that each client draws in a round, |M|; all, if it has fewer.
    participation
        Share of each cluster's clients that take part in a round.
    drift
        How clients' data changes: ``kind``, a file of ``clients/drifts/``, and its options.
    n_clusters
        Number of clusters C that methods use: a number; a criterion that reads the similarities of
        round 1 (``elbow``, ``silhouette``, ``gap``, ``eigengap``, ``stability``); ``null``: the
        true number.
    affect_iterations
        AFFECT iterations per round.
    affect_start
        Smoothed similarities before round 1: zeros, or those of the first round.
    affect_first_alpha
        Forgetting factor of AFFECT's first iteration in a round: that of the round before, or 0.
    send
        Clients that receive an estimate: all, or those with an unchanged cluster.
    unsent
        Model of a client that receives nothing: its last received one, or its own of the round.
    identity
        Owner of the memory that is carried over rounds: a cluster or a client.
    test_on
        Label distribution of the test under drift: that of the round, or the cluster's long-run
        one.
    exchange
        Whether clients without drift are also tested on another client's test samples (as in
        synchronous runs).
    validate
        Whether clients are tested on a held-out tenth of their train samples.
    """

    rounds: Count = 60
    samples_per_round: Count = 64
    participation: Share = 1.0
    drift: Annotated[dict[str, Any] | None, Named("clients/drifts", "DRIFT")] = None
    n_clusters: Annotated[int, msgspec.Meta(ge=1)] | Criterion | None = None
    affect_iterations: Count = 5
    affect_start: Literal["zeros", "first"] = "zeros"
    affect_first_alpha: Literal["before", "zero"] = "before"
    send: Literal["always", "unchanged"] = "always"
    unsent: Literal["kept", "own"] = "kept"
    identity: Literal["cluster", "client"] = "cluster"
    test_on: Literal["round", "long-run"] = "round"
    exchange: bool = False
    validate: bool = False


def check(options: Options, partitioner: Any) -> None:
    """Refuse more samples a round than a client of the partition has, unless its data drifts."""
    if options.exchange and options.drift is not None:
        raise UserError("clustered: exchange: clients whose data drifts have no tests to exchange")
    most = train_samples(partitioner)
    if most is not None and options.drift is None and options.samples_per_round > most:
        raise UserError(
            f"clustered: samples_per_round: {options.samples_per_round} is more than the {most} "
            "train samples of a client (samples_per_client less the test share)"
        )


def job(method: Method, options: Options) -> str:
    """Return one job's name for all methods."""
    return "all"


def threads(options: Options, n_clients: int) -> int:
    """Return 1: a run takes seconds."""
    return 1
