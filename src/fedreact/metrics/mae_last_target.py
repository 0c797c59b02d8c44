"""Mean absolute error of the last target."""

import numpy as np

from fedreact.metrics.contract import Metric
from fedreact.metrics.mae import METRIC as OF_ALL


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of the last of a window's targets."""
    return OF_ALL.samples(outputs[:, -1:], y.reshape(outputs.shape)[:, -1:])


METRIC = Metric(
    title="Mean absolute error of the last target",
    better="lower",
    bounds=OF_ALL.bounds,
    decimals=OF_ALL.decimals,
    kinds=("regression",),
    samples=samples,
)
