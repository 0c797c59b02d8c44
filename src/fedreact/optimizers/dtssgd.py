"""DTSSGD, dynamic exponentially time-smoothed SGD (Aydore, Zhu and Foster 2019, Algorithm 2).

Fed-REACT, section 3 and appendix J (arXiv): clients of Phase 1 take its steps instead of Adam's.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.optimizers.gradients import gradients
from fedreact.options import Count, Share

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch


@dataclass(frozen=True)
class DTSSGD:
    """Makes optimisers that step along the decayed mean of the last gradients.

        theta_{t+1} = theta_t - (eta / W) sum_{j=0}^{w-1} gamma^j g_{t-j}(theta_{t-j}),

    W = sum_{j=0}^{w-1} gamma^j. Gradients before the first step count as zero.

    Attributes
    ----------
    window
        Gradients that are averaged (w).
    decay
        Weight of a gradient relative to the next (gamma).
    """

    window: Count = 1
    decay: Share = 1.0

    def effective(self) -> "DTSSGD":
        """Return the options with a decay of 1 if the window is 1, where nothing decays."""
        return self if self.window > 1 else DTSSGD()

    def __call__(self, weights: "Iterable[torch.Tensor]", learning_rate: float) -> "DTSSGDSteps":
        """Return an optimiser of some tensors, without past gradients."""
        powers = [self.decay**j for j in range(self.window)]
        return DTSSGDSteps(list(weights), [learning_rate * p / sum(powers) for p in powers])


class DTSSGDSteps:
    """Steps by the newest gradient, the one before it, ..., each of its length ``[w]``."""

    def __init__(self, weights: "list[torch.Tensor]", lengths: list[float]):
        self.weights, self.lengths = weights, lengths
        self.past: list[list[torch.Tensor]] = [[] for _ in weights]

    def step(self) -> None:
        """Move the weights in place, by their ``grad`` and those of the last steps."""
        import torch

        with torch.no_grad():
            for w, newest, past in zip(self.weights, gradients(self.weights), self.past):
                past.insert(0, newest.clone())
                del past[len(self.lengths) :]
                for length, gradient in zip(self.lengths, past):
                    w.add_(gradient, alpha=-length)


OPTIMIZER = DTSSGD
