"""Time on the simulated clock."""

from fedreact.metrics.contract import INF, Metric

METRIC = Metric(title="Simulated minutes", better="lower", bounds=(0.0, INF), decimals=1)
