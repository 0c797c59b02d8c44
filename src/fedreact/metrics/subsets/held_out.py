"""Held-out train samples; runs that stop at a plateau record their first metric on them."""

from fedreact.metrics.subsets.contract import RecordedSubset

SUBSET = RecordedSubset("on held-out train samples")
