"""F1: the harmonic mean of precision and recall."""

import numpy as np

from fedreact.metrics.confusion import by_label, over_labels, ratio, samples
from fedreact.metrics.contract import Metric


def client(means: np.ndarray) -> np.ndarray:
    """Return a client's F1: scikit-learn's ``f1_score``, macro or micro."""
    tp, fp, fn, _ = by_label(means)
    return over_labels(ratio(2 * tp, 2 * tp + fp + fn), tp + fp + fn > 0)


METRIC = Metric(
    title="F1",
    better="higher",
    bounds=(0.0, 1.0),
    kinds=("classification", "multi-label"),
    samples=samples,
    client=client,
)
