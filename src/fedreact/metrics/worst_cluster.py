"""Accuracy in the worst true cluster; runs of kind ``clustered`` compute it."""

from fedreact.metrics.contract import Metric

METRIC = Metric(
    title="Accuracy in the worst cluster, mean over rounds", better="higher", bounds=(0.0, 1.0)
)
