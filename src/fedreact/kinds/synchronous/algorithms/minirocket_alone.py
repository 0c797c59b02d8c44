"""A ridge regression on MiniRocket features of each client's own samples; nothing is sent."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.minirocket_ridge import MiniRocketRidge
from fedreact.kinds.synchronous.contract import Arrays, Tensors, Weights, copies

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class MiniRocketAlone(MiniRocketRidge):
    """Both steps of the ridge on MiniRocket features at each client, in one round."""

    role: ClassVar[str] = "simple"
    weights: ClassVar[Weights] = "samples"  # type: ignore[misc]  # nothing is averaged

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return nothing to send."""
        return {"theta": theta[:0]}

    def sent(self, server: Arrays) -> Arrays:
        """Return nothing."""
        return server

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return each client's thresholds and linear layer, which are zero."""
        return {"own": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Compute thresholds, then solve on one's own features."""
        import torch

        own = []
        for samples in work.clients:
            thresholds = self._quantiles(samples, work)
            head = self._solved(self._moments(thresholds, samples, work))
            own.append(torch.cat([thresholds.cpu(), torch.from_numpy(head)]))
        return {"theta": torch.zeros(len(own), 0)}, {"own": torch.stack(own)}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Return nothing."""
        return server

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the clients' own."""
        return state["own"]

    def zero_shot(self, server: Arrays) -> None:
        """Return nothing: each client has its own."""
        return None


ALGORITHM = MiniRocketAlone
