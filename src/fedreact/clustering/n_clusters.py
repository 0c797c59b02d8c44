"""Number of clusters by elbow and silhouette score (Fed-REACT, arXiv version, appendix E).

Both see the clients as the clustering does, through their dissimilarities 1 - s_ij, with s_ij the
cosine similarity (eq. 2): half the squared distance of the two normalised task models.
"""

from typing import NamedTuple

import numpy as np

from fedreact.clustering.hierarchical import Linkage, agglomerative, cosine_similarity
from fedreact.errors import UserError


class Criteria(NamedTuple):
    """Both criteria ``[max_clusters]`` for 1, 2, ... clusters; NaN where undefined."""

    wcss: np.ndarray
    silhouette: np.ndarray


def wcss(models: np.ndarray, labels: np.ndarray) -> float:
    """Compute the within-cluster sum of squares of the normalised task models.

    It comes from similarities, sum_c (|c| - sum_{i, j in c} s_ij / |c|), so that a client whose
    weights are all zero is as far from the others here as in the clustering.

    Parameters
    ----------
    models
        ``[K, P]`` task models.
    labels
        ``int [K]`` clusters.
    """
    member = np.eye(len(labels))[np.unique(labels, return_inverse=True)[1]]
    size = member.sum(0)
    within = ((cosine_similarity(models) @ member) * member).sum(0)
    return float((size - within / np.maximum(size, 1)).sum())


def silhouette(models: np.ndarray, labels: np.ndarray) -> float:
    """Average the silhouettes (Rousseeuw 1987) of models ``[K, P]`` in clusters ``[K]``, by cosine.

    The result is NaN for a single cluster and if each client is a cluster. It equals that of
    scikit-learn, whose import would take longer than most runs of Phase 2.
    """
    _, cluster, size = np.unique(labels, return_inverse=True, return_counts=True)
    if not 1 < len(size) < len(labels):
        return float("nan")
    member = np.eye(len(size), dtype=bool)[cluster]
    sums = (1 - cosine_similarity(models)) @ member
    own = sums[member] / np.maximum(size[cluster] - 1, 1)
    other = np.where(member, np.inf, sums / size).min(1)
    larger = np.maximum(own, other)
    widths = (other - own) / np.where(larger > 0, larger, 1)
    return float(np.where(size[cluster] > 1, widths, 0).mean())


def elbow(wcss_by_C: np.ndarray) -> int:
    """Return the number of clusters at the elbow of the WCSS ``[n]`` of 1, 2, ..., n clusters.

    The elbow is the point farthest below the chord from the first point to the last (Satopää et al.
    2011, "Finding a kneedle in a haystack"); 1 if no point is below it. The scales of the axes do
    not matter, but the largest number of clusters does: the chord ends there.

    Raises
    ------
    UserError
        There are fewer than 3 points.
    """
    wcss_by_C = np.asarray(wcss_by_C, float)
    if len(wcss_by_C) < 3:
        raise UserError(f"an elbow needs WCSS of at least 3 points; there are {len(wcss_by_C)}")
    chord = np.linspace(wcss_by_C[0], wcss_by_C[-1], len(wcss_by_C))
    return int(np.argmax(chord - wcss_by_C)) + 1


def estimate(models: np.ndarray, max_clusters: int, linkage: Linkage = "ward") -> Criteria:
    """Compute both criteria for task models ``[K, P]`` in 1, ..., ``max_clusters`` clusters.

    The clusters are cuts of one hierarchy.

    Raises
    ------
    UserError
        There are more clusters than clients.
    """
    if not 1 <= max_clusters <= len(models):
        raise UserError(
            f"{len(models)} clients cannot be 1 to {max_clusters} clusters; "
            f"choose a largest number from 1 to {len(models)}"
        )
    W = cosine_similarity(models)
    cuts = [agglomerative(W, C, linkage) for C in range(1, max_clusters + 1)]
    return Criteria(
        np.array([wcss(models, labels) for labels in cuts]),
        np.array([silhouette(models, labels) for labels in cuts]),
    )


def choose(criterion: str, models: np.ndarray, linkage: Linkage = "ward") -> int:
    """Choose the number of clusters of task models ``[K, P]``, among 1 to K.

    ``criterion`` is ``elbow``, or ``silhouette`` for the number with the largest score.
    """
    if criterion not in ("elbow", "silhouette"):
        raise UserError(f"n_clusters is {criterion!r}; use a number, elbow or silhouette")
    if len(models) < 3:
        raise UserError(f"n_clusters {criterion} needs 3 clients at least; there are {len(models)}")
    curves = estimate(models, len(models), linkage)
    if criterion == "elbow":
        return elbow(curves.wcss)
    return int(np.nanargmax(curves.silhouette)) + 1
