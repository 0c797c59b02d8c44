"""FedProto (Tan et al. 2022, "FedProto: Federated prototype learning across heterogeneous
clients")."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.prototypes import class_means, merged
from fedreact.kinds.synchronous.contract import Algorithm
from fedreact.options import NonNegative

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class FedProto(Algorithm):
    """Clients share the mean features of classes, and no weights.

    Attributes
    ----------
    lam
        Weight of the distance between features and global prototypes.
    """

    lam: NonNegative = 1.0
    passes: ClassVar[int] = 1
    reads_features: ClassVar[bool] = True

    @staticmethod
    def skip(task):
        """Prototypes are those of labels."""
        return None if task.kind == "classification" else "its prototypes are of labels"

    def server(self, theta, n_clients):
        """Prototypes of all classes, one after the other, none of them known."""
        n, m = self.model.n_out, self.model.n_features
        return {"theta": np.zeros(n * m, np.float32), "known": np.zeros(n, np.float32)}

    def sent(self, server):
        """Prototypes, and which are known."""
        return server

    def start(self, theta, n_clients):
        """Whole models, which start alike."""
        return {"own": np.repeat(theta[None], n_clients, axis=0)}

    def local(self, training, sent, state, work):
        """Train one's own model towards the prototypes, then average features of each class.

        Prototypes are those of the trained model over all samples; the authors' code
        averages over the last epoch while it trains.
        """
        from fedreact.losses.on_features import OnFeatures, usual

        prototypes = sent["theta"].view(self.model.n_out, self.model.n_features)

        def rule(loss, theta, h, y, counts, which):
            pulled = prototype_loss(h, prototypes, sent["known"], y)
            return usual(loss, theta, h, y, counts, which) + self.lam * pulled

        training = replace(training, objective=OnFeatures(self.model, rule=rule))
        own = training.descend(state["own"], work, training.draw(work))
        means, counts = class_means(self.model.encode, own, work, self.model.n_out)
        return {"theta": means.flatten(1), "counts": counts}, {"own": own}

    def aggregate(self, server, uploads, n_samples):
        """Means weighted by the samples of the class; the authors' code has equal
        weights.
        """
        shape = (-1, self.model.n_out, self.model.n_features)
        before, uploaded = server["theta"].reshape(shape)[0], uploads["theta"].reshape(shape)
        prototypes, known = merged(before, uploaded, uploads["counts"])
        return {"theta": prototypes.ravel(), "known": np.maximum(server["known"], known)}

    def personal(self, server, state):
        """Clients use their own models."""
        return state["own"]


def prototype_loss(
    h: "torch.Tensor", prototypes: "torch.Tensor", known: "torch.Tensor", y: "torch.Tensor"
) -> "torch.Tensor":
    """Squared distances ``[K, B]`` of features ``[K, B, m]`` to prototypes ``[C, m]``, mean over m.

    0 where the class has none.
    """
    return ((h - prototypes[y]) ** 2).mean(-1) * known[y]


ALGORITHM = FedProto
