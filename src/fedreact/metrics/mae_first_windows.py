"""MAE of the first test windows, which code of FATHOM's authors calls that of all targets."""

from dataclasses import replace

from fedreact.metrics.mae import METRIC as OF_ALL
from fedreact.metrics.single_windows import as_many_as_targets

METRIC = replace(
    OF_ALL,
    title="Mean absolute error of the first test windows, one for each target",
    windows=as_many_as_targets,
)
