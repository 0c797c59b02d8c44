"""Values over clients other than their mean."""

from collections.abc import Callable

import numpy as np

Over = Callable[[np.ndarray], float]


def best_fifth(better: str, of: Over = np.mean) -> Over:
    """Mean over the fifth of the clients, rounded up, that is best: ``higher`` or ``lower``.

    ``of`` is what is computed in place of the mean.
    """

    def over(values: np.ndarray) -> float:
        ordered = np.sort(values)[:: -1 if better == "higher" else 1]
        return float(of(ordered[: -(-len(ordered) // 5)]))

    return over


def worst_fifth(better: str, of: Over = np.mean) -> Over:
    """The same of the fifth that is worst."""
    return best_fifth("lower" if better == "higher" else "higher", of)
