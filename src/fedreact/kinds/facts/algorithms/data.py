"""Counts of the data."""

from dataclasses import dataclass

from fedreact.kinds.facts.contract import Algorithm


@dataclass(frozen=True)
class Data(Algorithm):
    """There is nothing to choose."""


ALGORITHM = Data
