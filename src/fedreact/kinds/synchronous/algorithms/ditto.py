"""Ditto: FedAvg, and beside it a personal model of each client, pulled towards the global one.

Li, Hu, Beirami and Smith 2021, "Ditto: Fair and robust federated learning through personalization",
ICML, Algorithm 1:

    w_k   = theta, then steps  w_k <- w_k - eta grad f_k(w_k)                client
    v_k   <- v_k - eta (grad f_k(v_k) + lam (v_k - theta)), in steps         client, kept
    theta = sum_k p_k w_k                                                    server

Algorithm 1 leaves the mean open. The authors' code draws clients by n_k and has p_k = 1/K
(``weights: equal``); our default has p_k = n_k/n.
"""

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
    """FedAvg with personal models, which clients are tested with.

    Attributes
    ----------
    lam
        Strength of the pull: personal models minimise f_k(v) + lam / 2 |v - theta|^2 (Fed-REACT,
        ICLR 4.1.1: 0.0001).
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
