"""MAE of the second test window, which public code of FATHOM's authors calls that of target 2."""

from dataclasses import replace

from fedreact.metrics.mae import METRIC as OF_ALL
from fedreact.metrics.single_windows import window

METRIC = replace(
    OF_ALL,
    title="Mean absolute error of the second test window over all targets",
    windows=window(1),
)
