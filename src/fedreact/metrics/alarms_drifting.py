"""Alarm rate of the drift tests of drifting clients."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Alarm rate of drift tests, drifting clients",
    better="higher",
    bounds=(0.0, 1.0),
)
