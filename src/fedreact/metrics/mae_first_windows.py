"""What public code of FATHOM's authors takes for the MAE of all targets together."""

from fedreact.metrics.contract import Metric
from fedreact.metrics.mae import METRIC as OF_ALL

METRIC = Metric(
    title="Mean absolute error of as many test windows as there are targets, the first ones",
    better="lower",
    bounds=OF_ALL.bounds,
    decimals=OF_ALL.decimals,
)
