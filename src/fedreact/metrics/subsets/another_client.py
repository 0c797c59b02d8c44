"""Another client's test samples; runs with ``exchange`` record their first metric on them."""

from fedreact.metrics.subsets.contract import Recorded

SUBSET = Recorded("on another client's test samples")
