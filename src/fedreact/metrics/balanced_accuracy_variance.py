"""Variance of the balanced accuracy over clients."""

from dataclasses import replace

import numpy as np

from fedreact.metrics.balanced_accuracy import METRIC as OF_CLIENT

METRIC = replace(
    OF_CLIENT,
    title="Variance of the balanced accuracy over clients",
    better="lower",
    decimals=6,
    over=np.var,
)
