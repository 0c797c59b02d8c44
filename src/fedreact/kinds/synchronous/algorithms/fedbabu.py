"""FedBABU: the head is never trained in the federation; clients fine-tune the model afterwards.

Oh, Kim and Yun 2022, "FedBABU: Toward enhanced representation for federated image classification",
ICLR, Algorithm 1. With phi the body and h_0 the random first head, the same for all clients,

    phi_k = phi, then steps  phi_k <- phi_k - eta grad_phi f_k(h_0, phi_k)   client
    phi   = sum_k phi_k / K                                                  server
    (phi, h_0) is trained on f_k, for an epoch                               client, before a test

The paper weighs clients by samples; the authors' code weighs them equally, as here.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from fedreact.kinds.synchronous.algorithms.fedrep import FedRep
from fedreact.kinds.synchronous.algorithms.partly_shared import descend_at
from fedreact.kinds.synchronous.contract import JOIN, PREPARE, Arrays, Tensors, Weights

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedBABU(FedRep):
    """A body under a head that stays as it was drawn.

    Attributes
    ----------
    fine_tune
        Weights that an epoch of fine-tuning moves before a test: all, the head's, or none.
    """

    head: ClassVar[float] = 0.0  # type: ignore[misc]  # no option: it is not trained
    fine_tune: Literal["all", "head", "none"] = "all"
    weights: Weights = field(default="equal", kw_only=True)
    passes: ClassVar[int] = 3  # an epoch, of forward and backward passes
    prepares: ClassVar[bool] = True

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the body under the first head; before a test, or to join late, fine-tune."""
        if PREPARE not in sent and JOIN not in sent:
            return super().local(training, sent, state, work)
        if JOIN not in sent:
            training = replace(training, steps=None, epochs=1)
        own = self.received(sent, state)
        uploads = own[:, self.shared]
        if self.fine_tune == "all":
            own = training.descend(own, work, training.draw(work, "fine-tuning"))
        elif self.fine_tune == "head":
            own = descend_at(self.model.part("head."), training, own, work, "fine-tuning")
        return {"theta": uploads}, {"own": own}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the models that clients have fine-tuned."""
        return state["own"]


ALGORITHM = FedBABU
