"""How often clients whose data does not change find that it does."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Alarm rate of drift tests, other clients",
    better="lower",
    bounds=(0.0, 1.0),
)
