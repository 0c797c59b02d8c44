"""What public code of FATHOM's authors takes for the MAE of its second target."""

from dataclasses import replace

from fedreact.metrics.mae import METRIC as OF_ALL
from fedreact.metrics.single_windows import window

METRIC = replace(
    OF_ALL,
    title="Mean absolute error of the second test window over all targets",
    windows=window(1),
)
