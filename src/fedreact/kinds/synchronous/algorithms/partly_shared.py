"""Base of algorithms that share a part of the model and keep the rest at clients."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class PartlyShared(Algorithm):
    """FedAvg of some weights; clients go on with whole models of their own, which start alike."""

    @property
    def shared(self) -> "torch.Tensor":
        """Places of the weights that go both ways in the flat vector ``[P]``."""
        raise NotImplementedError

    def server(self, theta, n_clients):
        """What is shared."""
        return {"theta": theta[self.shared]}

    def start(self, theta, n_clients):
        """Whole models."""
        return {"own": np.repeat(theta[None], n_clients, axis=0)}

    def received(self, sent: dict, state: dict) -> "torch.Tensor":
        """Clients' models ``[K, P]`` with what they were sent."""
        own = state["own"].clone()
        own[:, self.shared] = sent["theta"]
        return own

    def local(self, training, sent, state, work):
        """Train one's own model with the shared weights in it."""
        own = training.descend(self.received(sent, state), work, training.draw(work))
        return {"theta": own[:, self.shared]}, {"own": own}

    def personal(self, server, state):
        """The mean of what is shared, and the rest of one's own."""
        own = state["own"].copy()
        own[:, self.shared] = server["theta"]
        return own
