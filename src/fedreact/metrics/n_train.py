"""Series that clients train on."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Series to train on", decimals=0, counted=True)
