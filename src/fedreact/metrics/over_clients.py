"""Values over clients other than their mean."""

from collections.abc import Callable

import numpy as np


def best_fifth(better: str) -> Callable[[np.ndarray], float]:
    """Mean over the fifth of the clients, rounded up, that is best: ``higher`` or ``lower``."""

    def over(values: np.ndarray) -> float:
        ordered = np.sort(values)[:: -1 if better == "higher" else 1]
        return float(ordered[: -(-len(ordered) // 5)].mean())

    return over


def worst_fifth(better: str) -> Callable[[np.ndarray], float]:
    """The same of the fifth that is worst."""
    return best_fifth("lower" if better == "higher" else "higher")
