"""Label distributions drawn anew in each round, for Strategies 2 and 3."""

import numpy as np


def draw_points(distributions: np.ndarray, rounds: int, rng: np.random.Generator) -> np.ndarray:
    """Draw ``[T, C, labels]`` uniformly over the labels of each cluster of ``[C, S, labels]``."""
    has = distributions[:, 0] > 0
    point = rng.exponential(size=(rounds, *has.shape)) * has
    return point / point.sum(-1, keepdims=True)


def another_cluster(clusters: np.ndarray, C: int, rng: np.random.Generator) -> np.ndarray:
    """Draw another of C clusters for each entry, all equally likely."""
    return (clusters + rng.integers(1, max(C, 2), clusters.shape)) % C


def of_clusters(by_cluster: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Return the rows ``[T, K, labels]`` of ``[T, C, labels]`` for clusters ``int [T, K]``."""
    return np.take_along_axis(by_cluster, clusters[:, :, None], axis=1)
