"""Number of clusters that a method finds."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Clusters found, mean over rounds", bounds=(1.0, float("inf")), decimals=1)
