"""Gradient steps of a client."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Gradient steps of a client's models, total", decimals=0, counted=True)
