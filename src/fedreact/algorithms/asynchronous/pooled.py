"""Global (section 5.3.1): one server has all data, and trains on it."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.algorithms.asynchronous.contract import Algorithm
from fedreact.algorithms.synchronous.fedavg import FedAvg


@dataclass(frozen=True)
class Pooled(Algorithm):
    """One client that holds the samples of all; the federation is none."""

    pooled: ClassVar[bool] = True
    travels: ClassVar[bool] = False

    def half(self):
        """Training goes on where it was."""
        return FedAvg()


ALGORITHM = Pooled
