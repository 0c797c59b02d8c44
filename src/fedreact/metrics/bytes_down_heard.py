"""Megabytes that a client would receive if models went to as many clients as FedConD counts."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Megabytes that a client receives, in all, counted as in Table 6.3 of FedConD",
    better="lower",
    bounds=(0.0, INF),
    counted=True,
)
"""Models that nobody would train; each method of that table has its number of them."""
