"""Accuracy: the share of samples, or of labels, that is predicted correctly."""

import numpy as np

from fedreact.metrics.contract import Metric


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """1 for what is right."""
    if y.ndim == 2:
        return ((outputs > 0) == y).mean(1, keepdims=True)
    return (outputs.argmax(1) == y)[:, None]


METRIC = Metric(
    title="Accuracy",
    better="higher",
    bounds=(0.0, 1.0),
    kinds=("classification", "multi-label"),
    samples=samples,
)
