"""Symmetric mean absolute percentage error of the first target."""

from fedreact.metrics.of_targets import of_target
from fedreact.metrics.smape import METRIC as OF_ALL

METRIC = of_target(OF_ALL, "first")
