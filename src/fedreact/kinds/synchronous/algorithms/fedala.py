"""FedALA: each client learns, weight by weight, how much of the global head it takes.

Zhang, Hua, Wang, Song, Xue, Ma and Guan 2023, "FedALA: Adaptive local aggregation for personalized
federated learning", AAAI, Algorithm 1, for p = 1: the head. With (phi, h) the global model, h_k the
head that client k has trained, and a in [0, 1] of the shape of h, 1 before any learning,

    u   = h_k + (h - h_k) * a
    a   <- clip(a - eta grad_u f_k(phi, u) * (h - h_k)), on a part of its samples    client, kept
    w_k = (phi, u), then steps  w_k <- w_k - eta grad f_k(w_k)                       client
    (phi, h) = sum_k n_k w_k / sum_k n_k                                             server

A client learns a for the first time until the loss stands still, later for a pass. It is tested
with (phi, u), as in the authors' code.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.contract import (
    PREPARE,
    Arrays,
    FeatureAlgorithm,
    Tensors,
    copies,
)
from fedreact.options import Count, Positive, Share

if TYPE_CHECKING:
    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.supervised import SupervisedLoss

STILL, LOSSES = 0.1, 10
"""A loss stands still if so many have no larger standard deviation (the authors' code)."""


@dataclass(frozen=True)
class FedALA(FeatureAlgorithm):
    """Adaptive local aggregation of the head.

    Attributes
    ----------
    eta
        Learning rate of the shares a.
    share
        Share of a client's samples, one after the other from a random one, that a is learned on.
    most
        Largest number of passes when a client learns a for the first time.
    """

    eta: Positive = 1.0
    share: Share = 0.8
    most: Count = 100
    passes: ClassVar[int] = 1
    prepares: ClassVar[bool] = True

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return models, shares of 1, and that none was learned."""
        n = len(self.model.part("head."))
        shares = np.ones((n_clients, n), np.float32)
        return {"own": copies(theta, n_clients), "a": shares, "learned": np.zeros(n_clients, bool)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Take the global body and a mixture of heads; then train all."""
        from fedreact.kinds.supervised import supervised_loss

        loss, places = supervised_loss(training.objective), self.model.part("head.")
        theta, a = work.start_weights(sent["theta"]), state["a"].clone()
        learned = state["learned"].clone()
        for k, rng in enumerate(work.generators("local aggregation")):
            own, new = state["own"][k, places], sent["theta"][places]
            if own.equal(new):
                continue
            n = len(work.clients[k])
            first = int(rng.integers(n - int(self.share * n) + 1))
            samples = work.clients[k][first : first + max(int(self.share * n), 1)]
            most = 1 if learned[k] else self.most
            a[k] = self._shares(loss, theta[k : k + 1], own, a[k], samples, training, work, most)
            theta[k, places] = own + (new - own) * a[k]
            learned[k] = True
        kept = {"a": a, "learned": learned}
        if PREPARE in sent:
            return {"theta": work.start_weights(sent["theta"])}, {"own": theta, **kept}
        trained = training.descend(theta, work, training.draw(work))
        return {"theta": trained}, {"own": trained.clone(), **kept}

    def _shares(
        self,
        loss: "SupervisedLoss",
        theta: "torch.Tensor",
        own: "torch.Tensor",
        a: "torch.Tensor",
        samples: np.ndarray,
        training: "LocalTraining",
        work: "Work",
        most: int,
    ) -> "torch.Tensor":
        """Learn shares a of the head, of a client that received ``theta [1, P]``."""
        import torch

        from fedreact.engine.local_training import backpropagate

        places, indices = self.model.part("head."), torch.from_numpy(samples)
        new, losses = theta[0, places], list[float]()
        with torch.no_grad():
            h = self.model.encode(theta, work.data.series(indices)[None])
        y, leaf = work.data.targets(indices)[None], theta.clone()
        for _ in range(most):
            for batch in torch.split(torch.arange(len(samples)), training.batch_size):
                leaf = leaf.detach().clone()
                leaf[0, places] = own + (new - own) * a
                leaf.requires_grad_()
                error = loss.of_outputs(self.model.head(leaf, h[:, batch]), y[:, batch]).mean()
                gradient = backpropagate(error, leaf)[0, places]
                a = (a - self.eta * gradient * (new - own)).clamp(0, 1)
            losses.append(error.item())
            if len(losses) > LOSSES and np.std(losses[-LOSSES:]) < STILL:
                break
        return a

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return clients' models."""
        return state["own"]


ALGORITHM = FedALA
