"""Variance of the F1 over clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.f1 import METRIC as F1

METRIC = replace(
    F1,
    title="Variance of the F1 over clients",
    better="lower",
    decimals=6,
    over=np.var,
)
