"""Stochastic gradient descent, of torch."""

from dataclasses import dataclass

from fedreact.options import NonNegative, Probability


@dataclass(frozen=True)
class SGD:
    """Makes ``torch.optim.SGD``.

    Attributes
    ----------
    momentum
        Share of the last step that the next one keeps.
    weight_decay
        Factor of the squared weights in the objective, halved.
    """

    momentum: Probability = 0.0
    weight_decay: NonNegative = 0.0

    def __call__(self, weights, learning_rate):
        """An optimiser of some tensors."""
        import torch

        options = {"momentum": self.momentum, "weight_decay": self.weight_decay}
        return torch.optim.SGD(weights, lr=learning_rate, **options)


OPTIMIZER = SGD
