"""Base of algorithms that share a part of the model and keep the rest at clients."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors, copies

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work


def descend_at(
    places: "torch.Tensor",
    training: "LocalTraining",
    start: "torch.Tensor",
    work: "Work",
    purpose: str = "local training",
) -> "torch.Tensor":
    """Train the weights at some places of models ``[K, P]``; others stay, but for statistics."""
    import torch

    moving = torch.zeros(start.shape[1], dtype=torch.bool, device=start.device)
    moving[places] = True
    moving[start.shape[1] - training.objective.n_buffers :] = True
    own, draws = start.clone(), training.draw(work, purpose)
    optimizer = training.make_optimizer(own)
    for step in range(training.longest(work)):
        losses, gradient = training.gradient(own, work, draws, step)
        own.grad = gradient * moving
        training.update(optimizer, [own], work, step)
        own.copy_(torch.where(moving, own, start))  # a decay would move them
        work.on_step(losses)
    return own


@dataclass(frozen=True)
class PartlyShared(Algorithm):
    """FedAvg of some weights; clients go on with whole models of their own, which start alike."""

    @property
    def shared(self) -> "torch.Tensor":
        """Places of the weights that go both ways in the flat vector ``[P]``."""
        raise NotImplementedError

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the shared weights."""
        return {"theta": theta[self.shared]}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return whole models."""
        return {"own": copies(theta, n_clients)}

    def received(self, sent: Tensors, state: Tensors) -> "torch.Tensor":
        """Put what clients were sent into copies of their models ``[K, P]``."""
        own = state["own"].clone()
        own[:, self.shared] = sent["theta"]
        return own

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train one's own model with the shared weights in it."""
        own = training.descend(self.received(sent, state), work, training.draw(work))
        return {"theta": own[:, self.shared]}, {"own": own}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return clients' models ``[K, P]`` with the mean of the shared weights in them."""
        own = state["own"].copy()
        own[:, self.shared] = server["theta"]
        return own
