"""SMAPE of the first test window, which public code of FATHOM's authors calls that of target 1."""

from dataclasses import replace

from fedreact.metrics.single_windows import window
from fedreact.metrics.smape import METRIC as OF_ALL

METRIC = replace(
    OF_ALL,
    title="Symmetric mean absolute percentage error of the first test window over all targets",
    windows=window(0),
)
