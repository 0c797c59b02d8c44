"""How often clients whose data changes find that it does."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Alarm rate of drift tests, drifting clients",
    better="higher",
    bounds=(0.0, 1.0),
)
