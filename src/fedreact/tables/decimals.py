"""How many decimals scores of a user's own data need."""

from collections.abc import Iterable
from dataclasses import replace
from math import floor, isfinite, log10

from fedreact.metrics.contract import Metric

MOST = 5


def with_digits(metric: Metric, values: Iterable[float]) -> Metric:
    """Return a metric that is written with three digits of the smallest of some values.

    Errors have the unit of what is predicted, so decimals that fit one dataset hide every
    difference on another one. A metric with an upper bound, such as accuracy, keeps its decimals.
    """
    sizes = [abs(value) for value in values if isfinite(value) and value]
    if metric.counted or isfinite(metric.bounds[1]) or not sizes:
        return metric
    needed = 2 - floor(log10(min(sizes)))
    return replace(metric, decimals=min(max(metric.decimals, needed), MOST))
