"""FedProx (Li, Sahu et al. 2020, "Federated optimization in heterogeneous networks")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.kinds.synchronous.contract import Tensors
from fedreact.options import NonNegative

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedProx(FedAvg):
    """FedAvg with a proximal term in the local objective.

    Attributes
    ----------
    mu
        Clients minimise f_k(w) + mu / 2 |w - theta|^2 (Algorithm 2 there, with a fixed number of
        steps instead of an inexactness gamma).
    """

    mu: NonNegative = 0.01

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the global model, pulled back towards it."""
        start, pull = work.start_weights(sent["theta"]), (self.mu, sent["theta"])
        return {"theta": training.descend(start, work, training.draw(work), pull)}, state


ALGORITHM = FedProx
