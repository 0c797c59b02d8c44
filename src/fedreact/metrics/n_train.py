"""Series that clients train on."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Train series", decimals=0, counted=True)
