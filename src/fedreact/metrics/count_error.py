"""Absolute error of the number of clusters that a criterion finds; runs record it."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Error of the number of clusters, mean over rounds",
    better="lower",
    bounds=(0.0, INF),
    decimals=2,
)
