"""Variance of the SMAPE over clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.smape import METRIC as SMAPE

METRIC = replace(
    SMAPE,
    title="Variance of the SMAPE over clients",
    better="lower",
    decimals=6,
    over=np.var,
)
