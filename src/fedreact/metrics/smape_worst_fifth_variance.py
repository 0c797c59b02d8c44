"""Variance of the SMAPE over the worst fifth of the clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.over_clients import worst_fifth
from fedreact.metrics.smape import METRIC as SMAPE

METRIC = replace(
    SMAPE,
    title="Variance of the SMAPE over the worst fifth of the clients",
    better="lower",
    decimals=6,
    over=worst_fifth(SMAPE.better, np.var),
)
