"""Clients of the true cluster whose mean score is worst; none where no run knows the clusters."""

import numpy as np

from fedreact.metrics.contract import Groups
from fedreact.metrics.subsets.contract import ClientSubset


def choose(scores: np.ndarray, groups: Groups) -> np.ndarray:
    """Choose the clients of that cluster."""
    if groups.clusters is None:
        return np.zeros(0, dtype=int)
    means = {c: scores[groups.clusters == c].mean() for c in np.unique(groups.clusters)}
    return np.flatnonzero(groups.clusters == min(means, key=lambda cluster: means[cluster]))


SUBSET = ClientSubset("the worst cluster", choose)
