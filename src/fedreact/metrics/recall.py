"""Recall: the share of true labels that is predicted."""

import numpy as np

from fedreact.metrics.confusion import by_label, over_labels, ratio, samples
from fedreact.metrics.contract import Metric


def client(means: np.ndarray) -> np.ndarray:
    """Return a client's recall: scikit-learn's ``recall_score``, macro or micro."""
    tp, fp, fn, _ = by_label(means)
    return over_labels(ratio(tp, tp + fn), tp + fp + fn > 0)


METRIC = Metric(
    title="Recall",
    better="higher",
    bounds=(0.0, 1.0),
    kinds=("classification", "multi-label"),
    samples=samples,
    client=client,
)
