"""Gradient steps of a client."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Gradient steps of a client's models, in all", decimals=0, counted=True)
