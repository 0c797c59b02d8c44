"""FedAvg whose clients fine-tune the newest global model before they are tested.

Wang, Mathews, Kiddon, Eichner, Beaufays and Ramage 2019, "Federated evaluation of on-device
personalization", arXiv 1910.10252:

    theta as in FedAvg                                                client and server
    v_k = theta, then steps  v_k <- v_k - eta grad f_k(v_k)           client, before a test
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from fedreact.kinds.synchronous.algorithms.fedavg_local import FedAvgLocal
from fedreact.kinds.synchronous.contract import JOIN, PREPARE, Tensors
from fedreact.options import Count

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedAvgFineTuned(FedAvgLocal):
    """FedAvg tested with a model of each client, which no other client receives.

    Attributes
    ----------
    tuning
        Length of the fine-tuning, in rounds of a client's training. It counts as compute in each
        round, as if each were tested.
    """

    tuning: Count = 1
    prepares: ClassVar[bool] = True

    @property
    def models(self) -> int:  # type: ignore[override]
        """Trainings of one model that a round counts as."""
        return 1 + self.tuning

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train as FedAvg does; before a test, or to join late, fine-tune the model received."""
        if PREPARE not in sent and JOIN not in sent:
            return super().local(training, sent, state, work)
        if PREPARE in sent:
            steps = training.steps and self.tuning * training.steps
            training = replace(training, steps=steps, epochs=self.tuning * training.epochs)
        start = work.start_weights(sent["theta"])
        own = training.descend(start, work, training.draw(work, "fine-tuning"))
        return {"theta": start}, {"own": own}


ALGORITHM = FedAvgFineTuned
