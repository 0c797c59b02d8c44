"""RMSprop (Tieleman and Hinton 2012), with Keras's constants."""

from dataclasses import dataclass

from fedreact.options import Positive, Probability


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

    def __call__(self, weights, learning_rate):
        """An optimiser of some tensors."""
        return _Optimizer(list(weights), learning_rate, self)


class _Optimizer:
    """Steps by the gradients of its weights."""

    def __init__(self, weights, learning_rate, of):
        import torch

        self.weights, self.learning_rate, self.of = weights, learning_rate, of
        self.squares = [torch.zeros_like(w) for w in weights]

    def step(self):
        """Take a step."""
        import torch

        with torch.no_grad():
            for w, mean in zip(self.weights, self.squares):
                mean.mul_(self.of.rho).addcmul_(w.grad, w.grad, value=1 - self.of.rho)
                w.addcdiv_(w.grad, mean.sqrt().add_(self.of.epsilon), value=-self.learning_rate)


OPTIMIZER = RMSprop
