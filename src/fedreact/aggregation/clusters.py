"""Cluster models of a round, and clusters matched with those of the round before."""

import numpy as np

from fedreact.aggregation.mean import cluster_means


def round_models(
    uploaded: np.ndarray,
    n_samples: np.ndarray,
    present: np.ndarray,
    saved: np.ndarray,
    labels: np.ndarray,
    n_clusters: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the cluster models ``[C, P]`` and which are observed (Algorithm 2, line 9).

    Both are arguments of the approaches of :mod:`fedreact.aggregation.temporal`.

    Parameters
    ----------
    uploaded, n_samples, present
        ``[K, P]`` task models of the round, samples ``[K]`` that each was fitted on, and
        ``bool [K]``: clients that take part.
    saved
        ``[K, P]``: last task model of each client (appendix F).
    labels
        ``int [K]``; -1 for clients that have never taken part.
    """
    models = cluster_means(uploaded, n_samples * present, labels, n_clusters)
    observed = np.isin(np.arange(n_clusters), labels[present])
    if not observed.all():
        last = cluster_means(saved, n_samples * (labels >= 0), labels, n_clusters)
        models = np.where(observed[:, None], models, last)
    return models, observed


def match_labels(labels: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """Rename clusters so that as many clients as possible keep the label of the round before.

    ``labels`` and ``before`` are ``int [K]``; -1 stands for no cluster.
    """
    from scipy.optimize import linear_sum_assignment  # the workflow loads methods, and starts often

    if before is None:
        return labels
    C = max(labels.max(), before.max()) + 1
    both = (labels >= 0) & (before >= 0)
    overlap = np.zeros((C, C))
    np.add.at(overlap, (labels[both], before[both]), 1)
    return np.where(labels >= 0, linear_sum_assignment(overlap, maximize=True)[1][labels], -1)


def unchanged(labels: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """Return ``bool [K]``: whether each client's cluster has the members of the round before."""
    if before is None:
        return np.zeros(len(labels), dtype=bool)
    moved = labels != before
    return ~np.isin(labels, np.concatenate([labels[moved], before[moved]]))
