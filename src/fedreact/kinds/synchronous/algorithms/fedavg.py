"""FedAvg (McMahan et al. 2017). Algorithm 1 of Fed-REACT is FedAvg on the contrastive loss."""

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
