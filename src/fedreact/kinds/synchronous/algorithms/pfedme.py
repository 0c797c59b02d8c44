"""pFedMe: personal models solve a proximal problem, and the global model follows them.

T. Dinh, Tran and Nguyen 2020, "Personalized federated learning with Moreau envelopes", NeurIPS,
Algorithm 1. On each batch of client k,

    v_k   <- v_k - eta (grad f_k(v_k; batch) + lam (v_k - w_k)), some steps  client, kept
    w_k   <- w_k - rate lam (w_k - v_k)                                      client
    theta <- (1 - beta) theta + beta sum_k n_k w_k / sum_k n_k               server

v_k starts from theta in each round and goes on from batch to batch, as in the authors' code.
Algorithm 1 weighs clients equally; the code weighs them by samples, as here.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors, copies
from fedreact.options import Count, Positive

if TYPE_CHECKING:
    from fedreact.engine.local_training import LocalTraining, Work


@dataclass(frozen=True)
class PFedMe(Algorithm):
    """Personal models of clients, which are tested with them.

    Attributes
    ----------
    lam
        Strength of the pull between both models.
    rate
        Learning rate of the client's copy of the global model.
    steps_on_batch
        Steps of the personal model on a batch. A round has as many steps as for other methods, so
        it has fewer batches.
    beta
        Share of the clients' mean in the server's new model.
    """

    lam: Positive = 15.0
    rate: Positive = 0.005
    steps_on_batch: Count = 5
    beta: Positive = 1.0

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return personal models, which start from the global one."""
        return {"personal": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train the personal model on each batch, then move the global one towards it."""
        import torch

        w, draws = work.start_weights(sent["theta"]), training.draw(work)
        v, n_buffers = w.clone(), training.objective.n_buffers
        optimizer = training.make_optimizer(v)
        steps = w.new_tensor([training.n_steps(len(samples)) for samples in work.clients])[:, None]
        for step in range(training.longest(work)):
            place, ends = step % self.steps_on_batch, v.shape[1] - n_buffers
            before = v[:, ends:].clone()
            losses, gradient = training.gradient(v, work, draws, step - place)
            v[:, ends:] = torch.where(step < steps, v[:, ends:], before)  # of who has ended
            v.grad = gradient + self.lam * (v - w)
            training.update(optimizer, [v], work, step)
            last = (step < steps) & ((place == self.steps_on_batch - 1) | (step == steps - 1))
            w = torch.where(last, w - self.rate * self.lam * (w - v), w)
            work.on_step(losses)
        w[:, w.shape[1] - n_buffers :] = v[:, w.shape[1] - n_buffers :]
        return {"theta": w}, {"personal": v}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Move the model towards the clients' mean."""
        mean = super().aggregate(server, uploads, n_samples)["theta"]
        step = np.float32(self.beta) * (mean - server["theta"])
        return server | {"theta": server["theta"] + step}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the personal models."""
        return state["personal"]


ALGORITHM = PFedMe
