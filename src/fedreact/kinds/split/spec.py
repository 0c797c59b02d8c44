"""Split learning of several tasks: clients hold their layers, a server the shared ones."""

from dataclasses import dataclass, field
from math import ceil
from typing import Annotated, Any, Literal

from fedreact.kinds.contract import Method
from fedreact.options import Count, InnerShare, Positive, Probability, Share, text_of
from fedreact.plugins import Named

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
        Whether each client has its own process or ``one`` owner has all clients and the server.
        Both compute the same; with one owner nothing is sent.
    epochs
        Largest number of passes over a client's windows; models are validated after each pass
        unless ``gflops`` is set.
    gflops
        Compute budget of a client including its share of the server, in GFLOPs; training ends when
        it or ``epochs`` is spent.
    points
        Number of validations within that budget, at even shares of the steps.
    patience
        Validations without a smaller loss before training stops.
    keep
        Weights to test: those with the smallest validation loss, or the last ones.
    validation
        Share of the train windows, the last ones, that is held out for validation.
    share
        Share of the remaining train windows, the first ones, that is used.
    shuffle
        Whether windows are reordered in each epoch, in the same order for all clients; else batches
        are in the order of time.
    scaled_by
        Windows that define the range by which channels and targets are scaled to [0, 1]: a client's
        ``train`` windows, or ``all`` of its windows including test windows.
    bounded
        Whether a sigmoid bounds predicted numbers to that range.
    labels
        Loss of several labels: cross-entropy of probabilities divided by their sum, or of each
        label.
    batch_size
        Windows of a client per step.
    learning_rate
        Learning rate of the optimiser.
    optimizer
        ``kind``, a file of ``optimizers/``, and its options.
    dropout
        Share of an LSTM's inputs that a step drops, the same at all rows of a window.
    recurrent_dropout
        Share of an LSTM's states that a step drops between rows.
    cell
        Activation of LSTM cells.
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
    """Return the name of a job: methods with the same options of training share one."""
    own = sorted(method.of_run.items())
    return "+".join(["all", *(f"{key}={text_of(value)}" for key, value in own)])


def threads(options: Options, n_clients: int) -> int:
    """Return one thread for each 10,000 GFLOPs, and no more than clients."""
    if options.gflops is None:
        return n_clients
    return min(n_clients, ceil(n_clients * options.gflops / 10000))
