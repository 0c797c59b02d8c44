"""Megabytes that a client uploads."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Megabytes that a client uploads, in all",
    better="lower",
    bounds=(0.0, INF),
    counted=True,
)
