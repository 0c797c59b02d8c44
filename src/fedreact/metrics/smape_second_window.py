"""SMAPE of the second test window, which code of FATHOM's authors calls that of target 2."""

from dataclasses import replace

from fedreact.metrics.single_windows import window
from fedreact.metrics.smape import METRIC as OF_ALL

METRIC = replace(
    OF_ALL,
    title="Symmetric mean absolute percentage error of the second test window over all targets",
    windows=window(1),
)
