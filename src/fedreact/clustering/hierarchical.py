"""Agglomerative hierarchical clustering of clients by similarity (Algorithm 3, line 6).

The papers name the method but not its linkage. The default is Ward's criterion in the space whose
inner products are the similarities; the ledger (``linkage``) holds the alternatives and their
effects.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from fedreact.clustering import ward

Linkage = Literal["ward", "ward-dissimilarity", "ward-rows", "average", "complete"]

MANY = 4000
"""Number of clients from which on similarities have single precision: half the time and memory."""


def cosine_similarity(weights: np.ndarray) -> np.ndarray:
    """Compute the cosine similarity of task models (eq. 2).

    A client whose weights are all zero is similar to nobody but itself.

    Parameters
    ----------
    weights
        ``[K, P]`` task models.

    Returns
    -------
    numpy.ndarray
        ``[K, K]``, W_t: 1 on the diagonal. It is float64, or float32 for :data:`MANY` clients and
        more, where similarities are off by some 1e-7.
    """
    precision: type[np.floating] = np.float64 if len(weights) < MANY else np.float32
    unit: npt.NDArray[np.floating] = weights.astype(precision)
    norms = np.linalg.norm(unit, axis=1, keepdims=True)
    np.divide(unit, np.where(norms > 0, norms, 1), out=unit)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, 1.0)
    return similarity


def agglomerative(similarity: np.ndarray, n_clusters: int, linkage: Linkage = "ward") -> np.ndarray:
    """Group clients into ``n_clusters`` clusters; fewer clients are a cluster each.

    Parameters
    ----------
    similarity
        ``[K, K]``, symmetric.
    n_clusters
        1 or more.
    linkage
        ``ward``: Ward on squared distances s_ii + s_jj - 2 s_ij, which for cosines is Ward on the
        normalised task models; ``ward-dissimilarity``: Ward with 1 - s_ij taken as distances;
        ``ward-rows``: Ward on the rows of the matrix; ``average``, ``complete``: on 1 - s_ij.

    Returns
    -------
    numpy.ndarray
        ``int64 [K]`` labels, numbered in the order of each cluster's first client.
    """
    return cuts(similarity, [n_clusters], linkage)[0]


def cuts(
    similarity: np.ndarray, numbers: Sequence[int], linkage: Linkage = "ward"
) -> list[np.ndarray]:
    """Cut one hierarchy of clients into several numbers of clusters.

    Parameters
    ----------
    similarity, linkage
        As in :func:`agglomerative`.
    numbers
        Numbers of clusters, each 1 or more.

    Returns
    -------
    list of numpy.ndarray
        The labels of :func:`agglomerative` for each number.
    """
    K = len(similarity)
    if min(numbers) >= K:
        return [np.arange(K) for _ in numbers]
    many = linkage == "ward" and similarity.dtype == np.float32
    merges = _ward(similarity) if many else _by_scipy(similarity, linkage)
    return [_cut(merges[: max(K - n, 0)], K) for n in numbers]


def _cut(merges: np.ndarray, K: int) -> np.ndarray:
    """Return labels ``[K]`` after merges ``[m, 2]``, of which row i makes node K + i."""
    root = np.arange(K + len(merges))
    root[merges] = np.arange(K, K + len(merges))[:, None]
    while (root != (above := root[root])).any():
        root = above
    return relabel(root[:K])


def _ward(similarity: np.ndarray) -> np.ndarray:
    """Return merges ``[K - 1, 2]`` by s_ii + s_jj - 2 s_ij."""
    itself = np.diag(similarity)
    distances = similarity * -2
    distances += itself
    distances += itself[:, None]
    if not np.isfinite(distances.sum()):
        raise ValueError("similarities are not finite")  # as SciPy does
    return ward.merges(np.maximum(distances, 0, out=distances))


def _by_scipy(similarity: np.ndarray, linkage: Linkage) -> np.ndarray:
    """Return merges ``[K - 1, 2]`` by SciPy."""
    from scipy.cluster import hierarchy
    from scipy.spatial.distance import pdist, squareform

    # In place on the pairs i < j: of many clients, new K x K matrices take longer than the linkage.
    if linkage == "ward-rows":
        distances = pdist(similarity)
    else:
        distances = squareform(similarity, checks=False)
    if linkage == "ward":
        itself = np.diag(similarity)
        distances *= -2
        if (itself == itself[0]).all():  # as of cosines
            distances += 2 * itself[0]
        else:
            distances += squareform(itself[:, None] + itself, checks=False)
        np.sqrt(np.maximum(distances, 0, out=distances), out=distances)
    elif linkage != "ward-rows":
        np.maximum(np.subtract(1, distances, out=distances), 0, out=distances)
    return hierarchy.linkage(distances, linkage.split("-")[0])[:, :2].astype(int)


def relabel(labels: np.ndarray) -> np.ndarray:
    """Number clusters 0, 1, ... in the order of their first member."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
