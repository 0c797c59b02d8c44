"""Label distributions drawn anew in each round, for Strategies 2 and 3."""

import numpy as np


def points_of_the_simplex(distributions, rounds, rng):
    """``[T, C, labels]`` drawn uniformly over the labels that each cluster has."""
    has = distributions[:, 0] > 0
    point = rng.exponential(size=(rounds, *has.shape)) * has
    return point / point.sum(-1, keepdims=True)


def another(clusters, C, rng):
    """Another cluster for each entry, all equally likely."""
    return (clusters + rng.integers(1, max(C, 2), clusters.shape)) % C


def of_clusters(by_cluster, at):
    """``[T, K, labels]`` of the clusters ``at [T, K]``."""
    return np.take_along_axis(by_cluster, at[:, :, None], axis=1)
