"""Means over seeds and their intervals, by Student's t."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

FEWEST = 3
"""Seeds below which nothing is judged: of two, an interval is eight times their distance."""


@dataclass(frozen=True)
class Summary:
    """Mean over seeds, its 95% interval, and the 95% interval of one further seed."""

    mean: float
    ci: tuple[float, float]
    prediction: tuple[float, float]
    n: int


def summarise(
    by_seed: npt.NDArray[np.float64] | Sequence[float],
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Summary:
    """Summarise one value a seed by Student's t; all intervals of a single seed are NaN.

    ``bounds`` are those of the score, beyond which no interval reaches.
    """
    values = np.asarray(by_seed, dtype=float)
    n, mean = len(values), float(values.mean())
    if n < 2:
        return Summary(mean, (np.nan, np.nan), (np.nan, np.nan), n)
    sd = float(values.std(ddof=1))
    t = float(stdtrit(n - 1, 0.975))
    of_mean, of_next = t * sd * n**-0.5, t * sd * (1 + 1 / n) ** 0.5
    low, high = bounds

    def interval(half_width: float) -> tuple[float, float]:
        return max(low, mean - half_width), min(high, mean + half_width)

    return Summary(mean, interval(of_mean), interval(of_next), n)
