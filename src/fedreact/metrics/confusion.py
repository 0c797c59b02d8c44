"""Counts of right and wrong labels, from which F1, precision, recall and others are made.

Where a sample has one label, these are averaged over the labels that a client has or predicts
(``macro`` in scikit-learn); where several can be true, counts are pooled over labels (``micro``).
"""

import numpy as np


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """True positives, false positives, false negatives, true negatives, of each label: ``[N, 4c]``.

    Pooled over labels, ``[N, 4]``, where several can be true.
    """
    if y.ndim == 2:
        found, true = outputs > 0, y.astype(bool)
    else:
        labels = np.arange(outputs.shape[1])
        found, true = outputs.argmax(1)[:, None] == labels, y[:, None] == labels
    counts = np.stack([found & true, found & ~true, ~found & true, ~found & ~true], axis=1)
    counts = counts.astype(float)
    return counts.mean(2) if y.ndim == 2 else counts.reshape(len(y), -1)


def by_label(means: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The four counts ``[..., c]`` (c is 1 where they were pooled) of statistics ``[..., 4c]``."""
    return tuple(np.moveaxis(means.reshape(*means.shape[:-1], 4, -1), -2, 0))


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``part / whole``, 0 where there is nothing."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def over_labels(values: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Mean ``[...]`` of values ``[..., c]`` over the labels that there are."""
    return ratio((values * there).sum(-1), there.sum(-1).astype(float))
