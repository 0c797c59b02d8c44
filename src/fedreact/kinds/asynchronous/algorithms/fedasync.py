"""FedAsync (Xie, Koyejo, Gupta 2019, "Asynchronous federated optimization")."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.clock.clock import Clock, Flight
from fedreact.kinds.asynchronous.contract import Algorithm
from fedreact.kinds.synchronous.algorithms.fedprox import FedProx
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.kinds.synchronous.contract import Arrays
from fedreact.options import NonNegative, Share


@dataclass(frozen=True)
class FedAsync(Algorithm):
    """The server mixes each update into its model as it comes (Algorithm 1 there).

    Attributes
    ----------
    alpha
        Weight of an update.
    staleness
        Factor of the weight: 1 (``constant``), or (t - tau + 1)^-a (``polynomial``), where t - tau
        counts the updates since the client received its model.
    a
        Exponent of ``polynomial``.
    rho
        Clients minimise f_k(w) + rho / 2 |w - w_tau|^2.
    """

    alpha: Share = 0.6
    staleness: Literal["constant", "polynomial"] = "constant"
    a: NonNegative = 0.5
    rho: NonNegative = 0.005

    def client(self) -> ClientAlgorithm:
        """Return FedProx's client."""
        return FedProx(mu=self.rho)

    def server(self, client: ClientAlgorithm, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model, and the number of its updates."""
        return {"theta": theta, "updates": np.zeros((), np.int64)}

    def sent(self, client: ClientAlgorithm, server: Arrays, flight: Flight) -> Arrays:
        """Return the model with its time stamp tau, which flights do not tell: some end in vain."""
        return client.sent(server) | {"updates": np.array(server["updates"])}

    def arrived(
        self,
        client: ClientAlgorithm,
        server: Arrays,
        uploads: Arrays,
        sent: Arrays,
        flight: Flight,
        clock: Clock,
    ) -> Arrays:
        """Mix it in (Algorithm 1 there, lines 4 and 5): w = (1 - alpha_t) w + alpha_t w_new."""
        alpha = self.alpha
        if self.staleness == "polynomial":
            alpha *= float((server["updates"] - sent["updates"] + 1.0) ** -self.a)
        theta = (1 - alpha) * server["theta"].astype(np.float64) + alpha * uploads["theta"][0]
        return {"theta": theta.astype(np.float32), "updates": server["updates"] + 1}


ALGORITHM = FedAsync
