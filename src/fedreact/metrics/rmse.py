"""Root mean square error."""

import numpy as np

from fedreact.metrics.contract import INF, Metric


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return squared errors ``[N, 1]``, means over targets."""
    if y.ndim == 1:
        return (outputs - y[:, None]) ** 2
    return ((outputs - y) ** 2).mean(1, keepdims=True)


METRIC = Metric(
    title="Root mean square error",
    better="lower",
    bounds=(0.0, INF),
    decimals=2,
    kinds=("regression",),
    samples=samples,
    client=lambda means: means[..., 0] ** 0.5,
    power=1,
)
