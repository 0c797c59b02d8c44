"""FedProx: FedAvg with a pull towards the global model in the local objective.

Li, Sahu, Zaheer, Sanjabi, Talwalkar and Smith 2020, "Federated optimization in heterogeneous
networks", MLSys, Algorithm 2:

    w_k   = argmin_w  f_k(w) + mu/2 |w - theta|^2, roughly         client    (2)
    theta = sum_k n_k w_k / sum_k n_k                              server

The paper draws clients by n_k and averages them equally; the authors' code draws them equally and
weighs them by n_k, as here.
"""

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
        Strength of the pull. The number of steps is fixed, where Algorithm 2 has an inexactness
        gamma.
    """

    mu: NonNegative = 0.01

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the global model, pulled back towards it."""
        start, pull = work.start_weights(sent["theta"]), (self.mu, sent["theta"])
        return {"theta": training.descend(start, work, training.draw(work), pull)}, state


ALGORITHM = FedProx
