"""Counts of the data."""

from dataclasses import dataclass

from fedreact.kinds.facts.contract import Algorithm


@dataclass(frozen=True)
class DataCounts(Algorithm):
    """No scores, only counts; there are no options."""


ALGORITHM = DataCounts
