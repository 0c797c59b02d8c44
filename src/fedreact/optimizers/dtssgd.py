"""DTSSGD, dynamic exponentially time-smoothed SGD (Aydore, Zhu and Foster 2019, Algorithm 2).

Fed-REACT, section 3 and appendix J (arXiv): clients of Phase 1 take its steps instead of Adam's.
"""

from dataclasses import dataclass

from fedreact.options import Count, Share


@dataclass(frozen=True)
class DTSSGD:
    """Makes :class:`fedreact.optimizers.time_smoothed.TimeSmoothedSGD`.

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
        from fedreact.optimizers.time_smoothed import TimeSmoothedSGD

        return TimeSmoothedSGD(weights, learning_rate, self.window, self.decay)


OPTIMIZER = DTSSGD
