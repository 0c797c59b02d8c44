"""FedDyn: a linear term aligns the optima of clients and server.

Acar, Zhao, Matas Navarro, Mattina, Whatmough and Saligrama 2021, "Federated learning based on
dynamic regularization", ICLR, Algorithm 1. With h_k = -grad f_k / alpha, as in the authors' code,
and M clients in all, of which those in P take part,

    w_k   = argmin_w  f_k(w) + alpha <h_k, w> + alpha/2 |w - theta|^2        client    (1)
    h_k   <- h_k + w_k - theta                                               client, kept
    h     <- h + sum_{k in P} (w_k - theta) / M                              server
    theta = sum_{k in P} w_k / |P| + h                                       server
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors, Weights
from fedreact.options import Positive

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work

    Models = TypeVar("Models", np.ndarray, torch.Tensor)


@dataclass(frozen=True)
class FedDyn(Algorithm):
    """Dynamic regularisation.

    The authors' code clips gradients and scales alpha by the clients' sizes; neither is in the
    paper, nor here.

    Attributes
    ----------
    alpha
        Weight of the dynamic regulariser.
    """

    alpha: Positive = 0.01
    weights: Weights = field(default="equal", kw_only=True)

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
        """Return the mean of the models plus the mean of all h_k."""
        updates = self._update(uploads["theta"], server["theta"])
        h = server["h"] + (updates.sum(0) * server["share"]).astype(np.float32)
        return server | {
            "theta": super().aggregate(server, uploads, n_samples)["theta"] + h,
            "h": h,
        }

    def _update(self, trained: "Models", theta: "Models") -> "Models":
        """Subtract the first weights of models ``[K, P]``; running statistics are no weights."""
        moved = trained - theta
        moved[:, moved.shape[1] - self.model.n_buffers :] = 0
        return moved


ALGORITHM = FedDyn
