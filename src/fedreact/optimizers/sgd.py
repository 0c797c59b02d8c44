"""Stochastic gradient descent, of torch."""

from dataclasses import dataclass

from fedreact.options import NonNegative, Probability


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

    def __call__(self, weights, learning_rate):
        """An optimiser of some tensors."""
        return _Optimizer(list(weights), learning_rate, self)


class _Optimizer:
    """Steps by the gradients of its weights."""

    def __init__(self, weights, learning_rate, of):
        self.weights, self.learning_rate, self.of = weights, learning_rate, of
        self.velocities = [None for _ in weights]

    def step(self):
        """Take a step."""
        import torch
        from torch.optim.sgd import sgd

        with torch.no_grad():
            sgd(
                *(self.weights, [w.grad for w in self.weights], self.velocities),
                weight_decay=self.of.weight_decay,
                momentum=self.of.momentum,
                lr=self.learning_rate,
                dampening=0,
                nesterov=False,
                maximize=False,
            )


OPTIMIZER = SGD
