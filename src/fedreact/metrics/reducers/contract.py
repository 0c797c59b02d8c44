"""The contract of a reducer of a metric: a file of this folder that defines ``REDUCER``.

``accuracy:var`` is the accuracy, reduced by ``var`` to one value of all clients.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from fedreact.metrics.contract import Metric


@dataclass(frozen=True)
class Reducer:
    """A value that is computed from clients' values instead of their mean.

    Attributes
    ----------
    title
        Title for people, e.g. ``Variance``.
    reduce
        ``reduce(values) -> float``.
    better
        Direction in which the reduced value is better; ``None``: that of clients' values.
    bounds
        ``bounds(low, high)``: smallest and largest possible value, given those of clients' values.
    decimals
        ``decimals(n)``: decimals in tables, given those of clients' values.
    """

    title: str
    reduce: Callable[[np.ndarray], float]
    better: Literal["higher", "lower"] | None
    bounds: Callable[[float, float], tuple[float, float]]
    decimals: Callable[[int], int]

    def apply(self, metric: Metric) -> Metric:
        """Return the metric whose clients' values are reduced so."""
        return replace(
            metric,
            reduce=self.reduce,
            better=self.better or metric.better,
            bounds=self.bounds(*metric.bounds),
            decimals=self.decimals(metric.decimals),
        )
