"""The last of the numbers that are predicted for a sample."""

from fedreact.metrics.subsets.contract import TargetSubset

SUBSET = TargetSubset("of the last target", slice(-1, None))
