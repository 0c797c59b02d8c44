"""The first of the numbers that are predicted for a sample."""

from fedreact.metrics.subsets.contract import TargetSubset

SUBSET = TargetSubset("of the first target", slice(0, 1))
