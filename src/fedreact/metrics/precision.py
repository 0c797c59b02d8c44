"""Precision: the share of predicted labels that is true."""

import numpy as np

from fedreact.metrics.confusion import by_label, over_labels, ratio, samples
from fedreact.metrics.contract import Metric


def client(means: np.ndarray) -> np.ndarray:
    """Return a client's precision: scikit-learn's ``precision_score``, macro or micro."""
    tp, fp, fn, _ = by_label(means)
    return over_labels(ratio(tp, tp + fp), tp + fp + fn > 0)


METRIC = Metric(
    title="Precision",
    better="higher",
    bounds=(0.0, 1.0),
    kinds=("classification", "multi-label"),
    samples=samples,
    client=client,
)
