"""Adam (Kingma and Ba 2015), by torch's fused kernel."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Adam:
    """Makes optimisers that do what ``torch.optim.Adam(..., fused=True)`` does, bit by bit.

    That class itself would load torch's compiler, which takes each process two seconds; its
    functional form does not.
    """

    def __call__(self, weights, learning_rate):
        """An optimiser of some tensors."""
        return _Optimizer(list(weights), learning_rate)


class _Optimizer:
    """Steps by the gradients of its weights, with the default moments."""

    def __init__(self, weights, learning_rate):
        import torch

        self.weights, self.learning_rate = weights, learning_rate
        self.first, self.second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
        self.taken = [torch.zeros((), device=w.device) for w in weights]

    def step(self):
        """Take a step."""
        import torch
        from torch.optim.adam import adam

        with torch.no_grad():
            adam(
                *(self.weights, [w.grad for w in self.weights], self.first, self.second),
                *([], self.taken),
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
