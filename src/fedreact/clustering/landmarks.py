"""AFFECT by landmarks (in no paper), for more clients than their pairs fit into memory.

Algorithm 4 smooths and clusters K x K similarities. Here m clients, the landmarks, are clustered by
it among themselves. Every other client joins the cluster to whose landmarks it is most similar on
average. So memory and time grow with K m in place of K squared.
"""

import numpy as np

from fedreact.clustering.affect import Cluster, affect, smooth


def similarity_to(weights: np.ndarray, landmarks: np.ndarray) -> np.ndarray:
    """Compute cosine similarities to some clients (eq. 2).

    Parameters
    ----------
    weights
        ``[K, P]`` task models.
    landmarks
        ``int [m]``: those clients.

    Returns
    -------
    numpy.ndarray
        ``float32 [K, m]``; a client without weights is similar to itself alone.
    """
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    unit = (weights / np.where(norms > 0, norms, 1)).astype(np.float32)
    similarity = unit @ unit[landmarks].T
    similarity[landmarks, np.arange(len(landmarks))] = 1.0
    return similarity


def affect_by_landmarks(
    S: np.ndarray,
    psi_before: np.ndarray,
    cluster: Cluster,
    alpha: float = 0.0,
    iterations: int = 5,
    *,
    landmarks: np.ndarray,
) -> tuple[np.ndarray, float, np.ndarray]:
    """Smooth this round's similarities to the landmarks and cluster by them.

    Parameters
    ----------
    S, psi_before
        ``[K, m]``: similarities to the landmarks in this round, and smoothed ones of the round
        before.
    cluster, alpha, iterations
        As for :func:`fedreact.clustering.affect.affect`, which clusters the landmarks.
    landmarks
        ``int [m]``: clients.

    Returns
    -------
    psi, alpha, labels
        Smoothed similarities ``[K, m]``, the forgetting factor of the landmarks, and the clusters
        ``[K]``.
    """
    _, alpha, of_landmarks = affect(S[landmarks], psi_before[landmarks], cluster, alpha, iterations)
    psi = smooth(S, psi_before, alpha)
    return psi, alpha, nearest(psi, landmarks, of_landmarks)


def nearest(psi: np.ndarray, landmarks: np.ndarray, of_landmarks: np.ndarray) -> np.ndarray:
    """Return the cluster ``[K]`` to whose landmarks each client is most similar on average."""
    member = np.eye(of_landmarks.max() + 1, dtype=psi.dtype)[of_landmarks]
    labels: np.ndarray = (psi @ member / member.sum(0)).argmax(1)
    labels[landmarks] = of_landmarks
    return labels
