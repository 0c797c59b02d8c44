"""The last of the numbers that are predicted for a sample."""

from fedreact.metrics.subsets.contract import Targets

SUBSET = Targets("of the last target", slice(-1, None))
