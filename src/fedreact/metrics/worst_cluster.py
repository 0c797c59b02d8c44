"""The primary metric of a task in the true cluster where it is worst."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy in the worst cluster, mean over rounds", better="higher", bounds=(0.0, 1.0)
)
