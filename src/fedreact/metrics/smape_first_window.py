"""What public code of FATHOM's authors takes for the SMAPE of its first target."""

from fedreact.metrics.contract import Metric
from fedreact.metrics.smape import METRIC as OF_ALL

METRIC = Metric(
    title="Symmetric mean absolute percentage error of the first test window over all targets",
    better="lower",
    bounds=OF_ALL.bounds,
    decimals=OF_ALL.decimals,
)
