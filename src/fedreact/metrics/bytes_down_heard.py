"""What a client would receive if each update went to all who are said to hear of it."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(
    title="Megabytes that a client receives, total, counted as in Table 6.3 of FedConD",
    better="lower",
    bounds=(0.0, INF),
    counted=True,
)
"""Models that nobody would train; each method of that table has its number of them."""
