"""Counts of right and wrong labels, from which F1, precision, recall and others are made.

Where a sample has one label, these are averaged over the labels that a client has or predicts
(``macro`` in scikit-learn); where several can be true, counts are pooled over labels (``micro``).
"""

import numpy as np


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Count true positives, false positives, false negatives and true negatives of each sample.

    Parameters
    ----------
    outputs
        Scores of labels ``[N, c]``.
    y
        Label of each sample ``[N]``, or whether each label is true ``[N, c]``.

    Returns
    -------
    np.ndarray
        The four counts of each label ``[N, 4c]``; where several labels can be true, their means
        over labels ``[N, 4]``.
    """
    if y.ndim == 2:
        predicted, true = outputs > 0, y.astype(bool)
    else:
        labels = np.arange(outputs.shape[1])
        predicted, true = outputs.argmax(1)[:, None] == labels, y[:, None] == labels
    counts = np.stack(
        [predicted & true, predicted & ~true, ~predicted & true, ~predicted & ~true], axis=1
    ).astype(float)
    return counts.mean(2) if y.ndim == 2 else counts.reshape(len(y), -1)


def by_label(means: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Split statistics ``[..., 4c]`` into the four counts ``[..., c]`` (c is 1 if pooled)."""
    tp, fp, fn, tn = np.moveaxis(means.reshape(*means.shape[:-1], 4, -1), -2, 0)
    return tp, fp, fn, tn


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide ``part`` by ``whole``; 0 where ``whole`` is 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def over_labels(values: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Average values ``[..., c]`` over the labels that count (a mask of the same shape)."""
    return ratio((values * counted).sum(-1), counted.sum(-1).astype(float))
