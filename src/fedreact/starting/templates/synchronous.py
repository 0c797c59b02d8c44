"""FILL IN: the method in one line, with its source. As it stands, it is FedAvg with a server step.

With theta the global model and w_k that of client k, which has n_k samples:

    w_k   = theta after the local steps of client k                client
    theta = theta + step (sum_k n_k w_k / sum_k n_k - theta)       server
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedreact.aggregation.mean import weighted_mean
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Arrays, Tensors
from fedreact.options import Positive

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Mine(FedAvg):
    """FILL IN: what it does. Fields are options, which experiment.yaml can set.

    Attributes
    ----------
    step
        Share of the way from the global model to the clients' mean.
    """

    step: Positive = 1.0

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the clients: return their uploads, and what they keep."""
        # FILL IN how clients train, or leave this function out, if it is as in FedAvg.
        return super().local(training, sent, state, work)

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Return what the server keeps after a round."""
        # FILL IN how the server uses the uploads.
        mean = weighted_mean(uploads["theta"], self.shares(n_samples))
        return server | {"theta": server["theta"] + self.step * (mean - server["theta"])}


ALGORITHM = Mine
