"""AFFECT: evolutionary clustering with an adaptive forgetting factor (Xu et al. 2014).

Fed-REACT, eq. 4 and appendix C (ICLR version; B in the arXiv version), Algorithm 4.
"""

from collections.abc import Callable

import numpy as np

Cluster = Callable[[np.ndarray], np.ndarray]
"""Maps a similarity matrix ``[K, K]`` to labels ``[K]``."""

ROWS = 32  # of a matrix read at once: they stay in the processor's cache
ROUNDING = 1e-13  # share of a sum of squares below which a difference of sums is rounding


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
    psi = smooth(W, psi_before, alpha)
    labels = cluster(psi)
    for _ in range(iterations):
        alpha = forgetting_factor(W, psi_before, labels)
        psi = smooth(W, psi_before, alpha, out=psi)
        renewed = cluster(psi)
        if np.array_equal(renewed, labels):
            break  # alpha depends on the labels alone: all further iterations are the same
        labels = renewed
    return psi, alpha, labels


def smooth(
    W: np.ndarray, psi_before: np.ndarray, alpha: float, out: np.ndarray | None = None
) -> np.ndarray:
    """Return alpha psi_{t-1} + (1 - alpha) W_t (eq. 3), in ``out`` if that is given."""
    psi = np.empty_like(W) if out is None else out
    for first in range(0, len(W), ROWS):
        band = slice(first, first + ROWS)
        mixed = np.subtract(psi_before[band], W[band], out=psi[band])
        mixed *= alpha
        mixed += W[band]
    return psi


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

    mean = W_sum / np.maximum(n, 1)
    explained = n @ mean**2
    variance = W_squares - explained
    if variance <= ROUNDING * W_squares:
        return 0.0
    change = psi_squares - 2 * mean @ psi_sum + explained
    return float(variance / (variance + max(change, 0.0)))


def _block_sums(matrix: np.ndarray, member: np.ndarray) -> tuple[np.ndarray, float]:
    """Sum the entries of each block, the diagonal as the last, and all entries' squares."""
    C = member.shape[1]
    sums, squares = np.zeros((C, C)), 0.0
    for first in range(0, len(matrix), ROWS):
        band = matrix[first : first + ROWS].astype(float, copy=False)
        sums += member[first : first + ROWS].T @ (band @ member)
        squares += np.vdot(band, band)
    diagonal = np.diag(matrix)
    sums[np.diag_indices(C)] -= diagonal @ member
    return np.append(sums.ravel(), diagonal.sum()), squares
