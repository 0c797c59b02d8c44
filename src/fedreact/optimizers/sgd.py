"""Stochastic gradient descent, of torch."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.optimizers.gradients import gradients
from fedreact.options import NonNegative, Probability

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch


@dataclass(frozen=True)
class SGD:
    """Makes optimisers that do what ``torch.optim.SGD`` does, bit by bit.

    That class itself would load torch's compiler, which takes each process more than a second; its
    functional form does not.

    Attributes
    ----------
    momentum
        Share of the last step that the next one keeps.
    weight_decay
        Factor of the squared weights in the objective, halved.
    """

    momentum: Probability = 0.0
    weight_decay: NonNegative = 0.0

    def __call__(self, weights: "Iterable[torch.Tensor]", learning_rate: float) -> "SGDSteps":
        """Return an optimiser of some tensors, without velocity."""
        return SGDSteps(list(weights), learning_rate, self)


class SGDSteps:
    """Steps by the gradients of some weights."""

    def __init__(self, weights: "list[torch.Tensor]", learning_rate: float, options: SGD):
        self.weights, self.learning_rate, self.options = weights, learning_rate, options
        self.velocities: list[torch.Tensor | None] = [None for _ in weights]

    def step(self) -> None:
        """Move the weights in place, by their ``grad``."""
        import torch
        from torch.optim.sgd import sgd

        with torch.no_grad():
            sgd(
                self.weights,
                gradients(self.weights),
                self.velocities,
                weight_decay=self.options.weight_decay,
                momentum=self.options.momentum,
                lr=self.learning_rate,
                dampening=0,
                nesterov=False,
                maximize=False,
            )


OPTIMIZER = SGD
