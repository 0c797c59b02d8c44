"""Ditto (Li, Hu, Beirami and Smith 2021, "Fair and robust federated learning ...")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Arrays, Tensors, copies
from fedreact.options import NonNegative

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Ditto(FedAvg):
    """FedAvg, and beside it a personal model of each client, pulled towards the global one.

    Attributes
    ----------
    lam
        Personal models minimise f_k(v) + lam / 2 |v - theta|^2 (eq. 2 and Algorithm 1 there;
        Fed-REACT, ICLR 4.1.1: 0.0001).
    """

    lam: NonNegative = 1e-4
    models: ClassVar[int] = 2

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return personal models, which start from the global one."""
        return {"personal": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the global model for the server and the personal one for oneself."""
        uploads, _ = super().local(training, sent, state, work)
        draws, pull = training.draw(work, "personal training"), (self.lam, sent["theta"])
        return uploads, {"personal": training.descend(state["personal"], work, draws, pull)}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the personal models."""
        return state["personal"]


ALGORITHM = Ditto
