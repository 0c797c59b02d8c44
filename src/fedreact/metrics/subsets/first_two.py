"""The first two clients: the same ones, with however many others they federate."""

import numpy as np

from fedreact.metrics.contract import Groups
from fedreact.metrics.subsets.contract import ClientSubset


def first_two(scores: np.ndarray, groups: Groups) -> np.ndarray:
    """Return the indices of the first two of clients ``[K]``."""
    return np.arange(min(2, len(scores)))


SUBSET = ClientSubset("the first two clients", first_two, ranked=False)
