"""Clients."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Clients", decimals=0, counted=True)
