"""Labels that occur."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Labels", decimals=0, counted=True)
