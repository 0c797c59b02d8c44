"""Phase 1 of Fed-REACT: one encoder, trained by federated contrastive learning (Algorithm 1)."""

from dataclasses import dataclass, field, replace
from math import ceil
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from fedreact import options, plugins
from fedreact.options import Count, Natural, Positive
from fedreact.plugins import Named

ENCODERS = Named("models/encoders", "ENCODER")
MEMORY_MB = (1000, 500)


@runtime_checkable
class Reducible(Protocol):
    """Options of an optimiser of which some may play no part."""

    def effective(self) -> Any:
        """Return the options with those that play no part at their defaults."""


@dataclass(frozen=True)
class Options:
    """Options of the encoder's training (ICLR section 4.1.1, arXiv appendix D).

    Attributes
    ----------
    encoder
        A file of ``models/encoders/``.
    rounds
        Communication rounds; 0: the encoder stays untrained.
    steps
        Local steps in a round.
    gflops
        Compute of a client in GFLOPs, including the features of its train samples; replaces
        ``steps`` by the nearest number of steps.
    clients_per_round
        Clients that train in a round, drawn anew in each; ``null``: all. A fixed number keeps
        rounds short in large federations.
    batch_size
        Anchors per step.
    learning_rate
        Learning rate of the optimiser.
    optimizer
        ``kind``, a file of ``optimizers/``, and its options.
    negatives
        Negative samples R per anchor.
    negative_weighting
        Whether the terms of the negatives are averaged or, as in eq. 1, summed.
    precision
        Precision of activations and matrix products in training.
    """

    encoder: Annotated[str, ENCODERS] = "table12"
    rounds: Natural = 10
    steps: Count = 500
    gflops: Positive | None = None
    clients_per_round: Count | None = None
    batch_size: Count = 10
    learning_rate: Positive = 1e-3
    optimizer: Annotated[dict[str, Any], Named("optimizers", "OPTIMIZER")] = field(
        default_factory=lambda: {"kind": "adam"}
    )
    negatives: Count = 10
    negative_weighting: Literal["mean", "sum"] = "mean"
    precision: Literal["float32", "bfloat16"] = "float32"

    def at_once(self, n_clients: int) -> int:
        """Count the clients that train in a round, of so many."""
        return min(n_clients, self.clients_per_round or n_clients)

    def effective(self) -> "Options":
        """Return the same training with options that play no part at their defaults."""
        if self.rounds == 0:
            return Options(encoder=self.encoder, rounds=0)
        optimizer = plugins.make("optimizers", self.optimizer, "OPTIMIZER", "optimizer")
        if isinstance(optimizer, Reducible):
            optimizer = optimizer.effective()
        changed = dict(sorted(options.changed(optimizer).items()))
        steps = self.steps if self.gflops is None else Options.steps
        return replace(self, steps=steps, optimizer={"kind": self.optimizer["kind"], **changed})


def threads(options: Options, n_clients: int) -> int:
    """Count the cores worth asking for: one a minute of work, at most one a client at once."""
    at_once = options.at_once(n_clients)
    minutes = at_once * options.rounds * options.steps / 1000
    if options.gflops is not None:
        minutes = n_clients * options.gflops / 5000
    return min(at_once, max(1, ceil(minutes)))
