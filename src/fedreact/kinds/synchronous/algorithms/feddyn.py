"""FedDyn (Acar et al. 2021, "Federated learning based on dynamic regularization")."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors
from fedreact.options import Positive

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work

    Weights = TypeVar("Weights", np.ndarray, torch.Tensor)


@dataclass(frozen=True)
class FedDyn(Algorithm):
    """FedAvg with a linear term that aligns the optima of clients and server.

    With h_k the sum of a client's past updates, it minimises, of all theta,
    f_k(theta) + <alpha h_k, theta> + alpha / 2 |theta - theta_server|^2 (with h_k = -grad / alpha,
    as in its authors' code); the server adds the mean of all h_k to the mean of
    the models. Their code clips gradients and scales alpha by the clients' sizes; neither is in the
    paper, nor here.

    Attributes
    ----------
    alpha
        Weight of the dynamic regulariser.
    """

    alpha: Positive = 0.01

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model that is sent, and the mean of all clients' h_k."""
        return {"theta": theta, "h": np.zeros_like(theta), "share": np.ones(1) / n_clients}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return h_k of zero: there are no updates yet."""
        return {"h": np.zeros((n_clients, len(theta)), np.float32)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Descend with a pull of strength alpha to theta_server - h_k: gradients of both terms."""
        theta, h = work.start_weights(sent["theta"]), state["h"]
        pull = (self.alpha, theta - h)
        trained = training.descend(theta, work, training.draw(work), pull)
        return {"theta": trained}, {"h": h + self._update(trained, sent["theta"])}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Return the mean of the models, each with equal weight, plus the mean of all h_k.

        Algorithm 1 of the paper.
        """
        updates = self._update(uploads["theta"], server["theta"])
        h = server["h"] + (updates.sum(0) * server["share"]).astype(np.float32)
        return server | {"theta": uploads["theta"].mean(0) + h, "h": h}

    def _update(self, trained: "Weights", theta: "Weights") -> "Weights":
        """Subtract the first weights of models ``[K, P]``; running statistics are no weights."""
        moved = trained - theta
        moved[:, moved.shape[1] - self.model.n_buffers :] = 0
        return moved


ALGORITHM = FedDyn
