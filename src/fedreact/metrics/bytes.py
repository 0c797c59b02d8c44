"""Megabytes between a client and the server, in both directions."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Megabytes between a client and the server, in all",
    better="lower",
    bounds=(0.0, INF),
    counted=True,
)
