"""FILL IN: the method in one line, with its source. As it stands, it mixes in each update at once.

With theta the server's model, w_k the model that client k returns when it has finished, and s the
number of updates that came in between:

    theta = theta + step / (1 + s) (w_k - theta)       server, after each update
"""

from dataclasses import dataclass

import numpy as np

from fedreact.clock.clock import Clock, Flight
from fedreact.kinds.asynchronous.contract import Algorithm, Arrays
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Algorithm as ClientAlgorithm
from fedreact.options import Share


@dataclass(frozen=True)
class Mine(Algorithm):
    """FILL IN: what it does. Fields are options, which experiment.yaml can set.

    Attributes
    ----------
    step
        Share of the way from the server's model to that of a client whose update is fresh.
    """

    step: Share = 0.5

    def client(self) -> ClientAlgorithm:
        """Return the client side: FILL IN another synchronous algorithm, if clients need one."""
        return FedAvg()

    def server(self, client: ClientAlgorithm, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return what the server keeps before any update: its model, and the number of updates."""
        return {"theta": theta, "updates": np.zeros((), np.int64)}

    def sent(self, client: ClientAlgorithm, server: Arrays, flight: Flight) -> Arrays:
        """Return what clients receive: the model, and the number of updates that it has seen."""
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
        """Return what the server keeps after an update ``[1, ...]``: FILL IN how it is used."""
        between = float(server["updates"] - sent["updates"])
        change = uploads["theta"][0] - server["theta"].astype(np.float64)
        theta = server["theta"] + self.step / (1 + between) * change
        return {"theta": theta.astype(np.float32), "updates": server["updates"] + 1}


ALGORITHM = Mine
