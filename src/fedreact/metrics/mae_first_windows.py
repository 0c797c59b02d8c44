"""What public code of FATHOM's authors takes for the MAE of all targets together."""

from dataclasses import replace

from fedreact.metrics.mae import METRIC as OF_ALL
from fedreact.metrics.single_windows import as_many_as_targets

METRIC = replace(
    OF_ALL,
    title="Mean absolute error of the first test windows, one for each target",
    windows=as_many_as_targets,
)
