"""Series that clients are tested on."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Test series", decimals=0, counted=True)
