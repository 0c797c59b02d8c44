"""Number of drift tests per client."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(title="Drift tests per client", bounds=(0.0, INF), decimals=1)
