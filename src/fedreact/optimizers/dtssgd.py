"""DTSSGD, dynamic exponentially time-smoothed SGD (Aydore, Zhu and Foster 2019, Algorithm 2).

Fed-REACT, section 3 and appendix J (arXiv): clients of Phase 1 take its steps instead of Adam's.
"""

from dataclasses import dataclass

from fedreact.options import Count, Share


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
        """The same steps with a decay of 1 where there is only one gradient: nothing decays."""
        return self if self.window > 1 else DTSSGD()

    def __call__(self, weights, learning_rate):
        """An optimiser of some tensors."""
        powers = [self.decay**j for j in range(self.window)]
        return _Optimizer(list(weights), [learning_rate * p / sum(powers) for p in powers])


class _Optimizer:
    """Steps of a length for the newest gradient, the one before it, ...: none is computed again."""

    def __init__(self, weights, lengths):
        self.weights, self.lengths = weights, lengths
        self.past = [[] for _ in weights]

    def step(self):
        """Take a step."""
        import torch

        with torch.no_grad():
            for w, past in zip(self.weights, self.past):
                past.insert(0, w.grad.clone())
                del past[len(self.lengths) :]
                for length, gradient in zip(self.lengths, past):
                    w.add_(gradient, alpha=-length)


OPTIMIZER = DTSSGD
