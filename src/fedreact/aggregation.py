"""Aggregation of task models over the rounds (Fed-REACT, section 2).

Each approach turns this round's cluster model theta_c,t and what it remembers into the estimate
that the cluster's clients get. ``alpha`` is the round's forgetting factor, ``t`` counts from 1.
"""

from collections.abc import Callable

import numpy as np

Aggregation = Callable[[np.ndarray, np.ndarray | None, int, float], np.ndarray]
"""``(models, estimate, t, alpha) -> estimate``, all models ``[C, P]``; ``None`` in round 1."""


def cluster_means(uploads: np.ndarray, n_samples: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Mean task model of each cluster, weighted by sample counts (Algorithm 2, line 9).

    Parameters
    ----------
    uploads
        ``[K, P]`` task models.
    n_samples
        ``[K]`` samples |M_t^k| they were fitted on.
    labels
        ``[K]`` clusters 0 to C - 1, none empty.

    Returns
    -------
    numpy.ndarray
        ``[C, P]``.
    """
    share = np.eye(labels.max() + 1)[labels] * n_samples[:, None]
    return (share / share.sum(0)).T @ uploads


def memoryless(models, estimate, t, alpha):
    """MMA: the past plays no part (arXiv section 4.2)."""
    return models


def running_mean(models, estimate, t, alpha):
    """A1, simple temporal averaging: the mean of theta_c,1 ... theta_c,t (eq. 5)."""
    return models if estimate is None else estimate + (models - estimate) / t


def forgetting(models, estimate, t, alpha):
    """A2, weighted averaging with the adaptive forgetting factor alpha_t (eq. 6)."""
    return models if estimate is None else alpha * estimate + (1 - alpha) * models
