"""RMSprop (Tieleman and Hinton 2012), with Keras's constants."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.optimizers.gradients import gradients
from fedreact.options import Positive, Probability

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch


@dataclass(frozen=True)
class RMSprop:
    """Divides each gradient by the root of a running mean of its squares.

    Attributes
    ----------
    rho
        Share of the running mean that a step keeps.
    epsilon
        Added to the root.
    """

    rho: Probability = 0.9
    epsilon: Positive = 1e-7

    def __call__(self, weights: "Iterable[torch.Tensor]", learning_rate: float) -> "RMSpropSteps":
        """Return an optimiser of some tensors, with a running mean of zero."""
        return RMSpropSteps(list(weights), learning_rate, self)


class RMSpropSteps:
    """Steps by the gradients of some weights."""

    def __init__(self, weights: "list[torch.Tensor]", learning_rate: float, options: RMSprop):
        import torch

        self.weights, self.learning_rate, self.options = weights, learning_rate, options
        self.squares = [torch.zeros_like(w) for w in weights]

    def step(self) -> None:
        """Move the weights in place, by their ``grad``."""
        import torch

        rho, epsilon = self.options.rho, self.options.epsilon
        with torch.no_grad():
            for w, g, mean in zip(self.weights, gradients(self.weights), self.squares):
                mean.mul_(rho).addcmul_(g, g, value=1 - rho)
                w.addcdiv_(g, mean.sqrt().add_(epsilon), value=-self.learning_rate)


OPTIMIZER = RMSprop
