"""Global (section 5.3.1): one server trains on all data."""

from dataclasses import dataclass
from typing import ClassVar

from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm


@dataclass(frozen=True)
class Pooled(Algorithm):
    """One client with the samples of all clients, which is no federation."""

    role: ClassVar[str] = "pooled"
    pooled: ClassVar[bool] = True
    travels: ClassVar[bool] = False

    def client(self) -> ClientAlgorithm:
        """Return a client that goes on where it was."""
        return FedAvg()


ALGORITHM = Pooled
