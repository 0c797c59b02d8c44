"""Channels of a series."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Channels", decimals=0, counted=True)
