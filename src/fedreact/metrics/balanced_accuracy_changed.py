"""Balanced accuracy among changed labels: persistence scores 0, chance level is 0.5."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Balanced accuracy of labels that have changed",
    better="higher",
    bounds=(0.0, 1.0),
)
