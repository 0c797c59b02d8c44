"""Series that clients are tested on."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Series to test on", decimals=0, counted=True)
