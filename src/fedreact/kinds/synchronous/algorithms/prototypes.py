"""Prototypes: mean features of each class, shared by FedProto, FedST and others."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import Work

BATCH = 256


def class_means(
    features: Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"],
    theta: "torch.Tensor",
    work: "Work",
    n_classes: int,
) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Average the features of each class over all of a client's samples, and count these.

    Parameters
    ----------
    features
        ``features(theta [1, P], x [1, B, T, C]) -> [1, ..., B, m]``, as they are outside training.
    theta
        ``[K, P]``.

    Returns
    -------
    means, counts
        ``[K, ..., C, m]``, zeros where a client lacks a class, and ``[K, C]``.
    """
    import torch

    all_means, all_counts = [], []
    with torch.no_grad():
        for k, samples in enumerate(work.clients):
            indices = torch.from_numpy(np.ascontiguousarray(samples)).to(work.data.X.device)
            labels = work.data.targets(indices)
            one_hot = torch.nn.functional.one_hot(labels, n_classes).float()
            total = sum(
                one_hot[i : i + BATCH].mT
                @ features(theta[k : k + 1], work.data.X[indices[i : i + BATCH]][None])[0]
                for i in range(0, len(indices), BATCH)
            )
            counts = one_hot.sum(0)
            all_means.append(total / counts.clamp(min=1)[:, None])
            all_counts.append(counts)
    return torch.stack(all_means), torch.stack(all_counts)


def merge(
    before: np.ndarray, uploaded: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Average clients' prototypes by weights, and say which classes a client has.

    Parameters
    ----------
    before
        ``[..., C, m]``: kept where no client has the class.
    uploaded
        ``[n, ..., C, m]``.
    weights
        ``[n, C]``; 0 where a client lacks the class.

    Returns
    -------
    prototypes, known
        ``[..., C, m]``, and ``float32 [C]``: 1 for classes that a client has.
    """
    total = weights.sum(0)
    shares = weights / np.where(total > 0, total, 1)
    means = np.einsum("nc,n...cm->...cm", shares, uploaded)
    known = total > 0
    return np.where(known[:, None], means, before).astype(np.float32), known.astype(np.float32)
