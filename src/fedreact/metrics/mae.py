"""Mean absolute error."""

import numpy as np

from fedreact.metrics.contract import INF, Metric


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return absolute errors ``[N, 1]``, means over targets."""
    return np.abs(outputs - y.reshape(outputs.shape)).mean(1, keepdims=True)


METRIC = Metric(
    title="Mean absolute error",
    better="lower",
    bounds=(0.0, INF),
    decimals=2,
    kinds=("regression",),
    samples=samples,
    power=1,
)
