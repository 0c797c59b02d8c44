"""AFFECT: evolutionary clustering with an adaptive forgetting factor (Xu et al. 2014).

Fed-REACT, eq. 4 and appendix C (ICLR version; B in the arXiv version), Algorithm 4.
"""

from collections.abc import Callable

import numpy as np

Cluster = Callable[[np.ndarray], np.ndarray]
"""Maps a similarity matrix ``[K, K]`` to labels ``[K]``."""

ROWS = 1024


def affect(
    W: np.ndarray, psi_before: np.ndarray, cluster: Cluster, alpha: float = 0.0, iterations: int = 5
) -> tuple[np.ndarray, float, np.ndarray]:
    """Smooth this round's similarities and cluster by them (Algorithm 4).

    Parameters
    ----------
    W
        ``[K, K]`` similarities observed in this round (eq. 2).
    psi_before
        ``[K, K]`` smoothed similarities of the round before; zeros in the first.
    cluster
        Static clustering, here agglomerative.
    alpha
        Forgetting factor that the first iteration clusters with.
    iterations
        MaxIterations; the paper takes 5.

    Returns
    -------
    psi, alpha, labels
        Smoothed similarities (eq. 4), the forgetting factor and the clusters.
    """
    labels = None
    for _ in range(iterations):
        found = cluster(smooth(W, psi_before, alpha))
        if labels is not None and np.array_equal(found, labels):
            break  # alpha depends on the labels alone: all further iterations are the same
        labels = found
        alpha = forgetting_factor(W, psi_before, labels)
    else:
        labels = cluster(smooth(W, psi_before, alpha))
    return smooth(W, psi_before, alpha), alpha, labels


def smooth(W: np.ndarray, psi_before: np.ndarray, alpha: float) -> np.ndarray:
    """Eq. 3: alpha psi_{t-1} + (1 - alpha) W_t."""
    return alpha * psi_before + (1 - alpha) * W


def forgetting_factor(W: np.ndarray, psi_before: np.ndarray, labels: np.ndarray) -> float:
    """Estimate alpha_t given clusters (eq. 27, with the moments of eqs. 28-30).

    The mean and variance of W_ij are taken over its block: the pairs of two clusters (eq. 30), the
    pairs within a cluster (eq. 28), and the diagonal (eq. 29).

    Returns
    -------
    float
        In [0, 1]; 0 where nothing varies and nothing has changed.
    """
    member = np.eye(labels.max() + 1)[labels]
    W_sum, W_squares = _block_sums(W, member)
    psi_sum, psi_squares = _block_sums(psi_before, member)
    count = member.sum(0)
    n = np.outer(count, count)
    np.fill_diagonal(n, count * (count - 1))
    n = np.append(n.ravel(), len(labels))

    occupied = n > 0
    mean = np.divide(W_sum, n, where=occupied, out=np.zeros_like(W_sum))
    variance = np.maximum(W_squares - n * mean**2, 0).sum()
    change = (psi_squares - 2 * mean * psi_sum + n * mean**2).sum()
    total = variance + max(change, 0.0)
    return float(variance / total) if total > 0 else 0.0


def _block_sums(matrix, member):
    """Sums of the entries and of their squares over each block, the diagonal as the last block.

    Works through bands of rows, so no second ``[K, K]`` matrix is made.
    """
    C = member.shape[1]
    sums = np.zeros((2, C, C))
    for first in range(0, len(matrix), ROWS):
        band, rows = matrix[first : first + ROWS], member[first : first + ROWS]
        sums[0] += rows.T @ (band @ member)
        sums[1] += rows.T @ (band**2 @ member)
    diagonal = np.diag(matrix)
    result = []
    for block, values in zip(sums, (diagonal, diagonal**2)):
        block[np.diag_indices(C)] -= values @ member
        result.append(np.append(block.ravel(), values.sum()))
    return result
