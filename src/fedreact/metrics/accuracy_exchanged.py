"""Accuracy on another client's test samples; runs with ``exchange`` compute it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy on another client's test samples", better="higher", bounds=(0.0, 1.0)
)
