"""Variance of the accuracy over clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.accuracy import METRIC as ACCURACY

METRIC = replace(
    ACCURACY,
    title="Variance of the accuracy over clients",
    better="lower",
    decimals=6,
    over=np.var,
)
