"""Clients by the rank of their scores."""

from collections.abc import Callable

import numpy as np

from fedreact.metrics.contract import Groups

Choose = Callable[[np.ndarray, Groups], np.ndarray]


def best(n: int) -> Choose:
    """Choose the n-th part of the clients, rounded up, whose scores are best."""
    return lambda scores, groups: np.argsort(-scores)[: -(-len(scores) // n)]


def worst(n: int) -> Choose:
    """Choose the n-th part of the clients, rounded up, whose scores are worst."""
    return lambda scores, groups: np.argsort(scores)[: -(-len(scores) // n)]
