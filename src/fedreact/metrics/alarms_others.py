"""Alarm rate of the drift tests of clients without drift (false alarms)."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Alarm rate of drift tests, other clients",
    better="lower",
    bounds=(0.0, 1.0),
)
