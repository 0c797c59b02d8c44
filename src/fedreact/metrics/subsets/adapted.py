"""Clients that join after the training, once they have adapted on a few labelled series."""

from fedreact.metrics.subsets.contract import RecordedSubset

SUBSET = RecordedSubset("of clients that join late, after they have adapted")
