"""FedRep: clients share a body and keep heads, which are trained one after the other.

Collins, Hassani, Mokhtari and Shakkottai 2021, "Exploiting shared representations for personalized
federated learning", ICML, Algorithm 1. With phi the body, h_k the head of client k,

    h_k   <- h_k - eta grad_h f_k(h_k, phi), most steps of a round           client, kept
    phi_k = phi, then steps  phi_k <- phi_k - eta grad_phi f_k(h_k, phi_k)   client
    phi   = sum_k n_k phi_k / sum_k n_k                                      server

Algorithm 1 weighs clients equally; the authors' code weighs them by samples, as here.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared, descend_at
from fedreact.kinds.synchronous.contract import FeatureAlgorithm, Tensors
from fedreact.options import InnerShare

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class FedRep(FeatureAlgorithm, PartlyShared):
    """A shared body under heads of clients.

    Attributes
    ----------
    head
        Share of the epochs or steps of a round that train the head alone, rounded; at least one
        trains the body. A step of the head counts as much compute as one of the body.
    """

    head: InnerShare = 0.9

    @property
    def shared(self) -> "torch.Tensor":
        """Places of all weights but the head's."""
        import torch

        shared = torch.ones(self.model.n_parameters, dtype=torch.bool)
        shared[self.model.part("head.")] = False
        return shared.nonzero()[:, 0]

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the head on the body received, then the body under this head."""
        own = self.received(sent, state)
        name = "epochs" if training.steps is None else "steps"
        total = getattr(training, name)
        on_head = min(round(self.head * total), total - 1)
        if on_head:
            of_head = replace(training, **{name: on_head})
            own = descend_at(self.model.part("head."), of_head, own, work, "head training")
            own[:, self.shared] = sent["theta"]  # statistics are the body's
        own = descend_at(self.shared, replace(training, **{name: total - on_head}), own, work)
        return {"theta": own[:, self.shared]}, {"own": own}


ALGORITHM = FedRep
