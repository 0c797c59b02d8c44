"""Adam (Kingma and Ba 2015), by torch's fused kernel."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.optimizers.gradients import gradients

if TYPE_CHECKING:  # the workflow asks for options, and torch takes a second to load
    import torch


@dataclass(frozen=True)
class Adam:
    """Makes optimisers that do what ``torch.optim.Adam(..., fused=True)`` does, bit by bit.

    That class itself would load torch's compiler, which takes each process two seconds; its
    functional form does not.
    """

    def __call__(self, weights: "Iterable[torch.Tensor]", learning_rate: float) -> "AdamSteps":
        """Return an optimiser of some tensors, with fresh moments."""
        return AdamSteps(list(weights), learning_rate)


class AdamSteps:
    """Steps by the gradients of some weights, with the default moments."""

    def __init__(self, weights: "list[torch.Tensor]", learning_rate: float):
        import torch

        self.weights, self.learning_rate = weights, learning_rate
        self.first, self.second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
        self.taken = [torch.zeros((), device=w.device) for w in weights]

    def step(self) -> None:
        """Move the weights in place, by their ``grad``."""
        import torch
        from torch.optim.adam import adam

        with torch.no_grad():
            adam(
                self.weights,
                gradients(self.weights),
                self.first,
                self.second,
                [],
                self.taken,
                fused=True,
                amsgrad=False,
                beta1=0.9,
                beta2=0.999,
                lr=self.learning_rate,
                weight_decay=0,
                eps=1e-8,
                maximize=False,
            )


OPTIMIZER = Adam
