"""Megabytes that a client receives."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Megabytes that a client receives, in all",
    better="lower",
    bounds=(0.0, INF),
    counted=True,
)
