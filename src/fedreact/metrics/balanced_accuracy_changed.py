"""Balanced accuracy among labels that are not what they last were: 0 for who repeats them."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Balanced accuracy of labels that have changed",
    better="higher",
    bounds=(0.0, 1.0),
)
