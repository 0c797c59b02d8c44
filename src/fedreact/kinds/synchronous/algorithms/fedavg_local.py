"""FedAvg with each client tested on its model before averaging."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Arrays, Tensors, copies

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedAvgLocal(FedAvg):
    """FedAvg in all but the test: the model of a client before it is averaged (in no paper).

    Methods that keep a model of each client are tested after local training; this tells how much of
    their lead is that.
    """

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the first model of each client."""
        return {"own": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train as FedAvg does, and keep the result."""
        uploads, _ = super().local(training, sent, state, work)
        return uploads, {"own": uploads["theta"].clone()}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return what clients have trained."""
        return state["own"]


ALGORITHM = FedAvgLocal
