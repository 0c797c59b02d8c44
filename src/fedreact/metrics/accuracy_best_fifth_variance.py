"""Variance of the accuracy over the best fifth of the clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.accuracy import METRIC as ACCURACY
from fedreact.metrics.over_clients import best_fifth

METRIC = replace(
    ACCURACY,
    title="Variance of the accuracy over the best fifth of the clients",
    better="lower",
    decimals=6,
    over=best_fifth(ACCURACY.better, np.var),
)
