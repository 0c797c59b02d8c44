"""Variance of the accuracy over drifting clients."""

from dataclasses import replace

from fedreact.metrics.accuracy_variance import METRIC as VARIANCE

METRIC = replace(
    VARIANCE,
    title="Variance of the accuracy over drifting clients",
    of_drifting=True,
)
