"""Variance of the SMAPE over drifting clients."""

from dataclasses import replace

from fedreact.metrics.smape_variance import METRIC as VARIANCE

METRIC = replace(
    VARIANCE,
    title="Variance of the SMAPE over drifting clients",
    of_drifting=True,
)
