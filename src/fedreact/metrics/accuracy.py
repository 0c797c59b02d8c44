"""Accuracy: the share of samples, or of labels, that is predicted correctly."""

import numpy as np

from fedreact.metrics.contract import Metric


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mark what is right by 1: samples ``[N, 1]``, or the share of each sample's labels."""
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
