"""Variance of the accuracy over the worst fifth of the clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.accuracy import METRIC as ACCURACY
from fedreact.metrics.over_clients import worst_fifth

METRIC = replace(
    ACCURACY,
    title="Variance of the accuracy over the worst fifth of the clients",
    better="lower",
    decimals=6,
    over=worst_fifth(ACCURACY.better, np.var),
)
