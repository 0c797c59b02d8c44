"""Means of the clients' models, weighted by their samples."""

import numpy as np

BLOCK = 4096  # weights averaged at once


def weighted_mean(uploads: np.ndarray, n_samples: np.ndarray) -> np.ndarray:
    """Aggregate models by sample counts (Algorithm 1, line 8).

    Parameters
    ----------
    uploads
        ``[K, P]`` weights of K clients.
    n_samples
        ``[K]`` samples that each was trained on.

    Returns
    -------
    numpy.ndarray
        ``[P]``, in the type of ``uploads``; sums are in float64.
    """
    share, mean = n_samples / n_samples.sum(), np.empty_like(uploads[0])
    # By blocks that stay in the cache: all uploads in float64 at once are twice their memory.
    for start in range(0, len(mean), BLOCK):
        block = slice(start, start + BLOCK)
        mean[block] = share @ uploads[:, block].astype(np.float64)
    return mean


def cluster_means(
    uploads: np.ndarray, n_samples: np.ndarray, labels: np.ndarray, n_clusters: int
) -> np.ndarray:
    """Average the task models of each cluster by sample counts (Algorithm 2, line 9).

    Parameters
    ----------
    uploads
        ``[K, P]`` task models.
    n_samples
        ``[K]`` samples |M_t^k| they were fitted on; 0 leaves a client out.
    labels
        ``[K]`` clusters 0 to C - 1; -1 leaves a client out.

    Returns
    -------
    numpy.ndarray
        ``[C, P]``; zeros for a cluster that has no samples.
    """
    share = (labels[:, None] == np.arange(n_clusters)) * n_samples[:, None]
    if not (counts := n_samples > 0).all():
        share, uploads = share[counts], uploads[counts]  # what others sent may be anything
    return (share / np.maximum(share.sum(0), 1)).T @ uploads
