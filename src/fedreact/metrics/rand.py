"""Rand score of the clusters that a method finds."""

from fedreact.metrics.contract import Metric

METRIC = Metric(title="Rand score, mean over rounds", better="higher", bounds=(0.0, 1.0))
