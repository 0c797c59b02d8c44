"""Steps of a series."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Steps per series", decimals=0, counted=True)
