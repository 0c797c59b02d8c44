"""Ditto (Li, Hu, Beirami and Smith 2021, "Fair and robust federated learning ...")."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.options import NonNegative


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

    def start(self, theta, n_clients):
        """Personal models start from the global one."""
        return {"personal": np.repeat(theta[None], n_clients, axis=0)}

    def local(self, training, sent, state, work):
        """Train the global model for the server and the personal one for oneself."""
        uploads, _ = super().local(training, sent, state, work)
        draws, pull = training.draw(work, "personal training"), (self.lam, sent["theta"])
        return uploads, {"personal": training.descend(state["personal"], work, draws, pull)}

    def personal(self, server, state):
        """Clients use their personal models."""
        return state["personal"]


ALGORITHM = Ditto
