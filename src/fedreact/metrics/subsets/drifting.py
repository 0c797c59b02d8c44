"""Clients whose data drifts; all in a run without drift."""

import numpy as np

from fedreact.metrics.contract import Groups
from fedreact.metrics.subsets.contract import ClientSubset


def choose(scores: np.ndarray, groups: Groups) -> np.ndarray:
    """Choose these clients."""
    if groups.drifting is None or not groups.drifting.any():
        return np.arange(len(scores))
    return np.flatnonzero(groups.drifting)


SUBSET = ClientSubset("drifting clients", choose, ranked=False)
