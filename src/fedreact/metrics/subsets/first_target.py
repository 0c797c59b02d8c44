"""The first of the numbers that are predicted for a sample."""

from fedreact.metrics.subsets.contract import Targets

SUBSET = Targets("of the first target", slice(0, 1))
