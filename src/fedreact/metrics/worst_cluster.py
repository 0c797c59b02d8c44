"""Accuracy in the true cluster where it is worst, as runs of kind ``clustered`` find it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy in the worst cluster, mean over rounds", better="higher", bounds=(0.0, 1.0)
)
