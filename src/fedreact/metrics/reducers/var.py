"""Variance over clients: how unequal their values are."""

import numpy as np

from fedreact.metrics.reducers.contract import Reducer

REDUCER = Reducer(
    title="Variance",
    reduce=np.var,
    better="lower",
    # Largest if half of the values are at each bound (Popoviciu's inequality).
    bounds=lambda low, high: (0.0, (high - low) ** 2 / 4),
    decimals=lambda n: 2 * n,
)
