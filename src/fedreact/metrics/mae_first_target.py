"""Mean absolute error of the first target."""

import numpy as np

from fedreact.metrics.contract import Metric
from fedreact.metrics.mae import METRIC as OF_ALL


def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of the first of a window's targets."""
    return OF_ALL.samples(outputs[:, :1], y.reshape(outputs.shape)[:, :1])


METRIC = Metric(
    title="Mean absolute error of the first target",
    better="lower",
    bounds=OF_ALL.bounds,
    decimals=OF_ALL.decimals,
    kinds=("regression",),
    samples=samples,
)
