"""Supervised losses that depend on the features of an architecture, too."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.contract import WithFeatures
from fedreact.models.layers import Training

Rule = Callable[..., torch.Tensor]
"""``rule(loss, theta, h, y, counts, which)``: losses ``[K, B]`` of features ``h [K, B, m]``, or
their means ``[K]``; other arguments are those of :meth:`SupervisedLoss.of_batch`."""


def usual(
    loss: "OnFeatures",
    theta: torch.Tensor,
    h: torch.Tensor,
    y: torch.Tensor,
    counts: torch.Tensor,
    which: Sequence[int],
) -> torch.Tensor:
    """Compute the losses ``[K, B]`` of the head's outputs, as :class:`SupervisedLoss` does."""
    return loss.of_outputs(loss.architecture.head(theta, h), y)


@dataclass(frozen=True)
class OnFeatures(SupervisedLoss):
    """A loss by a rule of its own.

    Attributes
    ----------
    rule
        Losses of samples.
    encode
        ``encode(theta, x, training, which)``, if features differ from the architecture's.
    """

    architecture: WithFeatures
    rule: Rule = usual
    encode: Callable[..., torch.Tensor] | None = None

    @property
    def draws(self) -> bool:
        """Whether steps may take random draws: a rule's ``encode`` may."""
        return self.architecture.trains_otherwise or self.encode is not None

    def of_batch(
        self,
        theta: torch.Tensor,
        x: torch.Tensor,
        y: torch.Tensor,
        counts: torch.Tensor,
        training: Training | None,
        which: Sequence[int],
    ) -> torch.Tensor:
        """Compute losses by the rule."""
        if self.encode is None:
            h = self.architecture.encode(theta, x, training)
        else:
            h = self.encode(theta, x, training, which)
        return self.rule(self, theta, h, y, counts, which)
