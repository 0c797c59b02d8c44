"""SCAFFOLD: control variates correct the drift of clients' updates.

Karimireddy, Kale, Mohri, Reddi, Stich and Suresh 2020, "SCAFFOLD: Stochastic controlled averaging
for federated learning", ICML, Algorithm 1 with option II. Of K clients, those in S take part; of n
local steps g is the gradient of one, and c_k and c are the control variates of client and server,

    w_k   = theta, then n steps  w_k <- w_k - eta (g - c_k + c)              client
    c_k'  = c_k - c + (theta - w_k) / (n eta) = mean of g over the steps     client, kept
    theta <- theta + rate sum_{k in S} (w_k - theta) / |S|                   server
    c     <- c + sum_{k in S} (c_k' - c_k) / K                               server

The second form of c_k' holds for plain descent; we take it for every optimiser.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors, Weights
from fedreact.options import Positive

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class Scaffold(Algorithm):
    """Control variates.

    Attributes
    ----------
    rate
        Learning rate of the server.
    """

    rate: Positive = 1.0
    weights: Weights = field(default="equal", kw_only=True)

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the model, and a control variate of zero."""
        return {"theta": theta, "c": np.zeros_like(theta), "share": np.ones(1) / n_clients}

    def sent(self, server: Arrays) -> Arrays:
        """Return the model and the control variate."""
        return {name: server[name] for name in ("theta", "c")}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return control variates of zero."""
        return {"c": np.zeros((n_clients, len(theta)), np.float32)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Descend on corrected gradients, and average the gradients themselves."""
        w, draws = work.start_weights(sent["theta"]), training.draw(work)
        correction, total = sent["c"] - state["c"], w.new_zeros(w.shape)
        optimizer = training.make_optimizer(w)
        for step in range(training.longest(work)):
            losses, gradient = training.gradient(w, work, draws, step)
            total += gradient  # of clients that are done it is zero
            w.grad = gradient + correction
            training.update(optimizer, [w], work, step)
            work.on_step(losses)
        steps = w.new_tensor([training.n_steps(len(samples)) for samples in work.clients])
        c = total / steps[:, None]
        return {"theta": w, "c": c - state["c"]}, {"c": c}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Move the model towards the clients' mean, and the control variate by their changes."""
        mean = super().aggregate(server, uploads, n_samples)["theta"]
        c = server["c"] + (uploads["c"].sum(0) * server["share"]).astype(np.float32)
        step = np.float32(self.rate) * (mean - server["theta"])
        return server | {"theta": server["theta"] + step, "c": c}


ALGORITHM = Scaffold
