"""Supervised losses that also see the features of an architecture that has some."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from fedreact.losses.supervised import SupervisedLoss

Rule = Callable[..., torch.Tensor]
"""``rule(loss, theta, h, y, counts, which)``: losses ``[K, B]`` of features ``h [K, B, m]``, or
their means ``[K]``; the rest is as in :meth:`SupervisedLoss.of_batch`."""


def usual(loss, theta, h, y, counts, which):
    """What :class:`SupervisedLoss` is: the loss of the head's outputs."""
    return loss.of_outputs(loss.architecture.head(theta, h), y)


@dataclass(frozen=True)
class OnFeatures(SupervisedLoss):
    """A loss by a rule of its own.

    Attributes
    ----------
    rule
        The losses of samples.
    encode
        ``encode(theta, x, training, which)``, if features are not just the architecture's.
    """

    rule: Rule = usual
    encode: Callable[..., torch.Tensor] | None = None

    @property
    def draws(self) -> bool:
        """Whatever is done to features may take random draws."""
        return self.architecture.trains_otherwise or self.encode is not None

    def of_batch(self, theta, x, y, counts, training, which):
        """Losses by the rule."""
        if self.encode is None:
            h = self.architecture.encode(theta, x, training)
        else:
            h = self.encode(theta, x, training, which)
        return self.rule(self, theta, h, y, counts, which)
