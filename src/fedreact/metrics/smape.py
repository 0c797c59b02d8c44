"""Symmetric mean absolute percentage error, from 0 to 2."""

import numpy as np

from fedreact.metrics.contract import Metric


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ``|output - y| / ((|output| + |y|) / 2)``, 0 where both are 0, means over targets.

    Eq. 2.10 of the dissertation (see ``cite`` of ``config/papers/aso_fed``) without the absolute
    values below, which is the same for what is never negative.
    """
    y = y.reshape(outputs.shape)
    size = (np.abs(outputs) + np.abs(y)) / 2
    error = np.abs(outputs - y)
    return np.divide(error, size, out=np.zeros_like(size), where=size > 0).mean(1, keepdims=True)


METRIC = Metric(
    title="Symmetric mean absolute percentage error",
    better="lower",
    bounds=(0.0, 2.0),
    kinds=("regression",),
    samples=samples,
)
