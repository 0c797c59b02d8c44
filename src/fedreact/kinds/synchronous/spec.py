"""Synchronous federated training with labels: every client trains in every round.

Methods of one architecture and the same options are one job, since it starts with what they share:
torch, the series, the processes.
"""

from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Any, Literal

from fedreact.kinds.contract import Method, job_name
from fedreact.options import Count, Positive, Share
from fedreact.plugins import Named

NEEDS = ()
TRAINS = True
PER_METHOD = (
    "architecture",
    "rounds",
    "epochs",
    "steps",
    "gflops",
    "batch_size",
    "step_gflops",
    "learning_rate",
    "optimizer",
    "precision",
)
MEMORY_MB = (2000, 700)
INDEX = ("method", "round")
NEWCOMERS = True


@dataclass(frozen=True)
class Options:
    """Options of a run (Fed-REACT, ICLR section 4.1.1).

    Attributes
    ----------
    architecture
        A file of ``models/architectures/``.
    rounds
        Communication rounds.
    epochs
        Passes over a client's samples per round.
    steps
        Local steps per round; replaces ``epochs``.
    gflops
        Compute of a client in GFLOPs, over all rounds and all models that the algorithm trains;
        replaces ``epochs`` and ``steps`` by the nearest number of steps.
    batch_size
        Samples per step.
    step_gflops
        GFLOPs per step; replaces ``batch_size`` by the nearest number of samples, so that
        architectures with the same budget take about the same number of steps.
    learning_rate
        Learning rate of the optimiser.
    optimizer
        ``kind``, a file of ``optimizers/``, and its options.
    precision
        Precision of matrix products in training.
    score
        Scored rounds: all, the last, or ``doubling``: 1, 2, 4, 8, ... and the last.
    exchange
        Whether clients are also tested on another client's test samples, from another owner if the
        data names owners; scores have them as ``<metric>@another_client``.
    validate
        Whether clients are tested on a held-out tenth of their train samples.
    participation
        Share of the clients that train in a round, drawn anew in each, at least one. The compute of
        a client is an average over all, so those that train take more steps.
    adapt_steps
        Local steps in which a client that joins after the training adapts; ``null``: as many as
        another client has taken.
    plateau
        Stops the training before its last round when two doublings of its rounds gain less than
        this by the first metric, on a held-out tenth of the train samples (``kinds/synchronous/
        plateau.py``). Needs ``score: all`` or ``doubling``.
    stacked
        Largest number of clients that a core trains together. Stacking is faster for steps below .5
        GFLOPs (``python benchmarks/stacked.py``). Another number changes rounding, and training can
        amplify it.
    """

    architecture: Annotated[str, Named("models/architectures", "ARCHITECTURE")] = "causal-cnn"
    rounds: Count = 10
    epochs: Count = 100
    steps: Count | None = None
    gflops: Positive | None = None
    batch_size: Count = 50
    step_gflops: Positive | None = None
    learning_rate: Positive = 1e-3
    optimizer: Annotated[dict[str, Any], Named("optimizers", "OPTIMIZER")] = field(
        default_factory=lambda: {"kind": "adam"}
    )
    precision: Literal["float32", "bfloat16"] = "float32"
    score: Literal["all", "last", "doubling"] = "all"
    exchange: bool = False
    validate: bool = False
    plateau: Positive | None = None
    participation: Share = 1.0
    adapt_steps: Count | None = None
    stacked: Count = 1


def job(method: Method, options: Options) -> str:
    """Name a job after the architecture, and what else the method changes in its training."""
    changes = dict(method.of_run)
    return job_name(changes.pop("architecture", options.architecture), changes)


def threads(options: Options, n_clients: int) -> int:
    """Ask for a core for each 1,000 local steps or 10,000 GFLOPs, at most one a stack of clients.

    Several short trainings side by side make better use of cores than one after the other.
    """
    stacks = ceil(n_clients / options.stacked)
    if options.gflops is not None:
        return min(stacks, ceil(n_clients * options.gflops / 10000))
    if options.steps is None:
        return stacks
    return min(stacks, ceil(n_clients * options.rounds * options.steps / 1000))
