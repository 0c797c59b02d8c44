"""Training on a simulated clock, with slow devices, dropouts and data that arrives over time."""

from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Any, Literal

import msgspec

from fedreact.errors import UserError
from fedreact.kinds.contract import Method, job_name
from fedreact.options import Count, Natural, NonNegative, Positive, Probability, Share
from fedreact.plugins import Named

NEEDS = ()
TRAINS = True
PER_METHOD = (
    "architecture",
    "epochs",
    "steps",
    "gflops",
    "minutes",
    "batch_size",
    "learning_rate",
    "optimizer",
    "precision",
)
MEMORY_MB = (2000, 700)
INDEX = ("method", "round")

Delays = Annotated[tuple[tuple[NonNegative, NonNegative], ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class Options:
    """Options of a run (sections 5.3.2, 6.3.3, 7.4.1).

    Attributes
    ----------
    architecture
        A file of ``models/architectures/``.
    gflops
        Compute budget in training, mean over clients, in GFLOPs; the run ends when it is spent.
    minutes
        Simulated minutes after which the run ends; replaces ``gflops``.
    points
        Number of times that models are scored, at even shares of the updates.
    epochs
        Passes over a client's samples per trip.
    steps
        Local steps per trip; replaces ``epochs``.
    batch_size
        Samples per step.
    learning_rate
        Learning rate of the optimiser.
    optimizer
        ``kind``, a file of ``optimizers/``, and its options.
    precision
        Precision of matrix products in training.
    error
        Loss of a regression: the squared or the absolute error (eq. 2.3).
    delays
        Ranges of a trip's delay in seconds, one range for each of several equal parts of the
        clients, fast parts first. Algorithms with tiers use these parts as tiers.
    redrawn
        Whether the delay is drawn for each trip; else once for each client.
    rate
        Speed of a device, GFLOPs per second.
    start
        Range of the share of its train samples that a client has at the start.
    growth
        Range of the share of its train samples that arrives with each of a client's trips.
    silent
        Share of the clients that never answer.
    leaving
        Clients that leave for good at a random time.
    lost
        Probability that an update does not arrive.
    drifting
        Share of the clients with drift: part of their arriving samples has changed inputs.
    drift_at
        Start and length of that part, as shares of a client's train samples.
    drift_values
        Range of the uniformly random inputs that replace the true ones; ``null``: noise of spread
        0.5 is added instead, and inputs are clipped to 0 to 1.
    validate
        Whether clients are tested on a held-out tenth of their train samples.
    """

    architecture: Annotated[str, Named("models/architectures", "ARCHITECTURE")] = "lstm-plain"
    gflops: Positive = 1.0
    minutes: Positive | None = None
    points: Count = 10
    epochs: Count = 2
    steps: Count | None = None
    batch_size: Count = 50
    learning_rate: Positive = 1e-3
    optimizer: Annotated[dict[str, Any], Named("optimizers", "OPTIMIZER")] = field(
        default_factory=lambda: {"kind": "sgd"}
    )
    precision: Literal["float32", "bfloat16"] = "float32"
    error: Literal["squared", "absolute"] = "squared"
    delays: Delays = ((10.0, 100.0),)
    redrawn: bool = False
    rate: Positive = 1.0
    start: tuple[Share, Share] = (1.0, 1.0)
    growth: tuple[Probability, Probability] = (0.0, 0.0)
    silent: Probability = 0.0
    leaving: Natural = 0
    lost: Probability = 0.0
    drifting: Probability = 0.0
    drift_at: tuple[Probability, Probability] = (0.4, 0.1)
    drift_values: tuple[float, float] | None = (10.0, 1000.0)
    validate: bool = False


def check(options: Options, partitioner: Any) -> None:
    """Raise a ``UserError`` unless ranges begin before they end, and some updates arrive."""
    if options.lost == 1:
        raise UserError("lost is 1, so no update arrives; it must be below 1")
    ranges = [("start", options.start), ("growth", options.growth)]
    ranges += [("delays", delays) for delays in options.delays]
    for name, (low, high) in ranges:
        if low > high:
            raise UserError(f"{name}: {low:g} is more than {high:g}")


def job(method: Method, options: Options) -> str:
    """Name a job after the architecture, and what else the method changes in its training."""
    changes = dict(method.of_run)
    return job_name(changes.pop("architecture", options.architecture), changes)


def threads(options: Options, n_clients: int) -> int:
    """Ask for one core for each 10,000 GFLOPs, at most one a client."""
    if options.minutes is not None:
        return n_clients
    return min(n_clients, ceil(n_clients * options.gflops / 10000))
