"""Another client's test samples; runs with ``exchange`` record their first metric on them."""

from fedreact.metrics.subsets.contract import RecordedSubset

SUBSET = RecordedSubset("on another client's test samples")
