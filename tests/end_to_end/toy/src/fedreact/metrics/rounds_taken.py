"""Rounds that a run has taken."""

from fedreact.metrics.contract import Metric

METRIC = Metric("Rounds", decimals=0, counted=True)
