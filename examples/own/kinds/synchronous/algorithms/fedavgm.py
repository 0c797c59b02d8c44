"""Example of a synchronous algorithm: FedAvgM (Hsu, Qi and Brown 2019, section 4.3).

Clients train as in FedAvg. The server does not take over the mean of their weights: it moves
towards it, and keeps some of the direction in which it moved before.
"""

from dataclasses import dataclass

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.options import Probability


@dataclass(frozen=True)
class FedAvgM(FedAvg):
    """FedAvg with momentum on the server.

    Attributes
    ----------
    momentum
        Share of the last step that is part of the next one; with 0 it is FedAvg.
    """

    momentum: Probability = 0.9

    def server(self, theta, n_clients):
        """Return the weights, and the step that led to them."""
        return {"theta": theta, "step": np.zeros_like(theta)}

    def aggregate(self, server, uploads, n_samples):
        """Take the next step towards the mean of the clients' weights."""
        towards = weighted_mean(uploads["theta"], self.shares(n_samples)) - server["theta"]
        step = self.momentum * server["step"] + towards
        return {"theta": server["theta"] + step, "step": step}


ALGORITHM = FedAvgM
