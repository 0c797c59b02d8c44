"""What public code of FATHOM's authors takes for the MAE of its first target."""

from fedreact.metrics.contract import Metric
from fedreact.metrics.mae import METRIC as OF_ALL

METRIC = Metric(
    title="Mean absolute error of the first test window over all targets",
    better="lower",
    bounds=OF_ALL.bounds,
    decimals=OF_ALL.decimals,
)
