"""Split learning of several tasks: clients keep their layers, a server what is between them."""

from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Any, Literal

from fedreact.options import Count, InnerShare, Positive, Probability, Share, text_of
from fedreact.plugins import Named
from fedreact.runs.contract import Method

NEEDS = ()
TRAINS = True
PER_METHOD = (
    *("epochs", "gflops", "points", "patience", "batch_size", "learning_rate", "optimizer"),
    *("dropout", "recurrent_dropout", "cell", "labels", "bounded", "owners"),
)
MEMORY_MB = (2000, 500)
INDEX = ("method", "round")


@dataclass(frozen=True)
class Options:
    """Options of a run (sections 3.2.1 and 4.2.2).

    Attributes
    ----------
    owners
        Whether each client is its own, or ``one`` has all of them and the server: the same
        computation, and nothing is sent.
    epochs
        Passes over a client's windows, at most; validated after each, if nothing else is said.
    gflops
        What a client computes over all, its share of the server among it, in GFLOPs; then training
        ends, if it has not after so many epochs.
    points
        How often models are validated in that budget, at even shares of the steps.
    patience
        Validations without a smaller loss after which training stops.
    keep
        The weights with the smallest loss of validation are tested, or the last ones.
    validation
        Share of the train windows, the last ones, that nobody trains on.
    share
        Of the other train windows, the first so many are there.
    shuffle
        Whether windows are put in a new order in each epoch, the same for all clients; else batches
        are in the order of time.
    scaled_by
        Channels and targets are brought to [0, 1] by their range in a client's windows to train
        on, or in ``all`` of its windows, those of tests included.
    bounded
        Whether predicted numbers pass a sigmoid, so that none lies outside that range.
    labels
        Loss of several labels: cross-entropy of probabilities that are divided by their sum, or of
        each label.
    batch_size
        Windows of a client in a step.
    learning_rate
        Of the optimiser.
    optimizer
        ``kind``, a file of ``optimizers/``, and its options.
    dropout
        Share of an LSTM's inputs that a step leaves out, the same at all rows of a window.
    recurrent_dropout
        Share of its states that do not reach the next row.
    cell
        What LSTMs have beside their gates.
    """

    owners: Literal["each", "one"] = "each"
    epochs: Count = 150
    gflops: Positive | None = None
    points: Count = 10
    patience: Count = 20
    keep: Literal["best", "last"] = "best"
    validation: InnerShare = 0.25
    share: Share = 1.0
    shuffle: bool = False
    scaled_by: Literal["train", "all"] = "train"
    bounded: bool = True
    labels: Literal["normalised", "binary"] = "normalised"
    batch_size: Count = 50
    learning_rate: Positive = 1e-3
    optimizer: Annotated[dict[str, Any], Named("optimizers", "OPTIMIZER")] = field(
        default_factory=lambda: {"kind": "adam"}
    )
    dropout: Probability = 0.2
    recurrent_dropout: Probability = 0.2
    cell: Literal["tanh", "relu"] = "tanh"


def job(method: Method, options: Options) -> str:
    """What the method changes in its training, if anything; all others are one job."""
    given = sorted(method.of_run.items())
    return "+".join(["all", *(f"{key}={text_of(value)}" for key, value in given)])


def threads(options: Options, n_clients: int) -> int:
    """One for each 10,000 GFLOPs, and no more than clients."""
    if options.gflops is None:
        return n_clients
    return min(n_clients, ceil(n_clients * options.gflops / 10000))
