"""FedAvg with each client tested on its model before averaging."""

from dataclasses import dataclass

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg


@dataclass(frozen=True)
class FedAvgLocal(FedAvg):
    """FedAvg in all but the test: the model of a client before it is averaged (in no paper).

    Methods that keep a model of each client are tested after local training; this tells how much of
    their lead is that.
    """

    def start(self, theta, n_clients):
        """The first model."""
        return {"own": np.repeat(theta[None], n_clients, axis=0)}

    def local(self, training, sent, state, work):
        """As FedAvg, and the result is kept."""
        uploads, _ = super().local(training, sent, state, work)
        return uploads, {"own": uploads["theta"].clone()}

    def personal(self, server, state):
        """Clients use what they have trained."""
        return state["own"]


ALGORITHM = FedAvgLocal
