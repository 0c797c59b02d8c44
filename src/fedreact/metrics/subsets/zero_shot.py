"""Clients that join after the training, with what the federation has for them."""

from fedreact.metrics.subsets.contract import RecordedSubset

SUBSET = RecordedSubset("of clients that never trained")
