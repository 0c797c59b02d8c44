"""Draws of samples by the distribution of their labels."""

import numpy as np


def draw(
    pools: list[np.ndarray], shares: np.ndarray, n: int, rng: np.random.Generator
) -> np.ndarray:
    """Draw ``n`` samples with labels distributed as ``shares [labels]``.

    No sample is drawn twice as long as its label's pool has enough.
    """
    counts = rng.multinomial(n, shares)
    drawn = [
        rng.choice(pools[label], counts[label], replace=counts[label] > len(pools[label]))
        for label in np.flatnonzero(counts)
    ]
    return np.concatenate(drawn)
