"""How often clients look for drift."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(title="Tests for drift, of a client", bounds=(0.0, INF), decimals=1)
