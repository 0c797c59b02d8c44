"""Agglomerative hierarchical clustering of clients by similarity (Algorithm 3, line 6).

The papers name the method but not its linkage. The default is Ward's criterion in the space whose
inner products are the similarities; the ledger (``linkage``) holds the
alternatives and what they change.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

Linkage = Literal["ward", "ward-dissimilarity", "ward-rows", "average", "complete"]


def cosine_similarity(weights: np.ndarray) -> np.ndarray:
    """Cosine similarity ``W_t [K, K]`` of task models ``[K, P]`` (eq. 2).

    A client whose weights are all zero is similar to nobody but itself.
    """
    weights = weights.astype(np.float64)
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    unit = weights / np.where(norms > 0, norms, 1)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, 1.0)
    return similarity


def agglomerative(similarity: np.ndarray, n_clusters: int, linkage: Linkage = "ward") -> np.ndarray:
    """Group clients into ``n_clusters`` clusters, or one each if they are fewer.

    Parameters
    ----------
    similarity
        ``[K, K]``, symmetric.
    linkage
        ``ward``: Ward on squared distances s_ii + s_jj - 2 s_ij, which for cosines is Ward on the
        normalised task models; ``ward-dissimilarity``: Ward with 1 - s_ij taken as distances;
        ``ward-rows``: Ward on the rows of the matrix; ``average``, ``complete``: on 1 - s_ij.

    Returns
    -------
    numpy.ndarray
        ``int64 [K]`` labels, numbered in the order of each cluster's first client.
    """
    for labels in hierarchy(similarity, linkage):
        if labels.max() < n_clusters:
            break
    return labels


def hierarchy(similarity: np.ndarray, linkage: Linkage = "ward") -> Iterator[np.ndarray]:
    """Labels as of :func:`agglomerative`, for K clusters, K - 1, ..., 1.

    The two closest clusters, the first two of equally close ones, are merged each time; distances
    of what they make follow from theirs (Lance and Williams 1967). SciPy does the same, but its
    import takes longer than most runs of Phase 2.
    """
    D, update = _distances(similarity, linkage)
    K = len(D)
    np.fill_diagonal(D, np.inf)
    labels, size = np.arange(K), np.ones(K)
    yield labels
    for _ in range(K - 1):
        i, j = np.divmod(D.argmin(), K)  # i < j, since D is symmetric
        D[i] = D[:, i] = update(D[i], D[j], D[i, j], size[i], size[j], size)
        D[i, i] = D[j] = D[:, j] = np.inf
        size[i] += size[j]
        labels = np.where(labels == j, i, labels)
        yield relabel(labels)


def _distances(similarity, linkage):
    """What is compared ``[K, K]``, and what it is from a merged cluster to all others."""
    if linkage in ("average", "complete"):
        update = _average if linkage == "average" else _complete
        return np.maximum(1 - similarity, 0), update
    if linkage == "ward":
        diagonal = np.diag(similarity)
        return np.maximum(diagonal[:, None] + diagonal - 2 * similarity, 0), _ward
    if linkage == "ward-dissimilarity":
        return np.maximum(1 - similarity, 0) ** 2, _ward
    squares = np.square(similarity).sum(1)
    return np.maximum(squares[:, None] + squares - 2 * similarity @ similarity.T, 0), _ward


def _average(to_i, to_j, between, n_i, n_j, n):
    return (n_i * to_i + n_j * to_j) / (n_i + n_j)


def _complete(to_i, to_j, between, n_i, n_j, n):
    return np.maximum(to_i, to_j)


def _ward(to_i, to_j, between, n_i, n_j, n):
    """Of squared distances."""
    return ((n_i + n) * to_i + (n_j + n) * to_j - n * between) / (n_i + n_j + n)


def relabel(labels: np.ndarray) -> np.ndarray:
    """Number clusters 0, 1, ... in the order of their first member."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
