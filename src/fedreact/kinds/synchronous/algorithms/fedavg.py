"""FedAvg: each client trains the global model, and the server averages.

McMahan, Moore, Ramage, Hampson and Agüera y Arcas 2017, "Communication-efficient learning of deep
networks from decentralized data", AISTATS, Algorithm 1. With f_k the loss of client k, which has
n_k samples,

    w_k   = theta, then steps  w_k <- w_k - eta grad f_k(w_k)      client    ClientUpdate
    theta = sum_k n_k w_k / sum_k n_k                              server

Algorithm 1 of Fed-REACT is FedAvg on the contrastive loss.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.synchronous.contract import Algorithm, Tensors

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedAvg(Algorithm):
    """Clients train the global model and keep nothing."""

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the global model: Algorithm 1, lines 3-7; line 8 is the server's."""
        start = work.start_weights(sent["theta"])
        return {"theta": training.descend(start, work, training.draw(work))}, state


ALGORITHM = FedAvg
