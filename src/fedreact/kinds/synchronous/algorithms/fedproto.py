"""FedProto: clients share the mean features of classes, and no weights.

Tan, Long, Liu, Zhou, Lu, Jiang and Zhang 2022, "FedProto: Federated prototype learning across
heterogeneous clients", AAAI. With phi(x) the features of x and K_c the clients that have class c,

    C_k^c = mean of phi_k(x) over the samples of class c               client    (3)
    C^c   = sum_{k in K_c} p_k C_k^c,  sum_{K_c} p_k = 1               server    (6)
    f_k + lam |phi_k(x) - C^y|^2 is what a client minimises            client, its whole model kept
    y     = argmin_c |phi_k(x) - C^c|                                  test

Eq. 6 weighs by samples of the class; the authors' code has equal p_k, as here.
"""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from fedreact.kinds.synchronous.algorithms.prototypes import BATCH, class_means, merge
from fedreact.kinds.synchronous.contract import Arrays, FeatureAlgorithm, Tensors, Weights, copies
from fedreact.options import NonNegative
from fedreact.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.objective import Objective
    from fedreact.losses.on_features import OnFeatures


TESTED = {"prototypes": "theta", "known": "known"}
"""What a test needs, by the names that the server has for it."""

UNKNOWN = -1e30
"""Output of a class without a prototype: no distance is as large."""


@dataclass(frozen=True)
class FedProto(FeatureAlgorithm):
    """Prototypes of classes.

    Attributes
    ----------
    lam
        Weight of the distance between features and global prototypes.
    test
        What a test sample is labelled by: the nearest global prototype, or one's own head.
    """

    lam: NonNegative = 1.0
    test: Literal["prototypes", "head"] = "prototypes"
    weights: Weights = field(default="equal", kw_only=True)
    passes: ClassVar[int] = 1

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse tasks without labels, which prototypes are of."""
        return None if task.kind == "classification" else "its prototypes are of labels"

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return prototypes of all classes, one after the other, none of them known."""
        n, m = self.model.n_out, self.model.n_features
        return {"theta": np.zeros(n * m, np.float32), "known": np.zeros(n, np.float32)}

    def sent(self, server: Arrays) -> Arrays:
        """Return prototypes, and which are known."""
        return server

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return whole models, which start alike."""
        return {"own": copies(theta, n_clients)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train one's own model towards the prototypes, then average features of each class.

        Prototypes are those of the trained model over all samples; the authors' code
        averages over the last epoch while it trains.
        """
        from fedreact.losses.on_features import OnFeatures, usual

        prototypes = sent["theta"].view(self.model.n_out, self.model.n_features)

        def rule(
            loss: "OnFeatures",
            theta: "torch.Tensor",
            h: "torch.Tensor",
            y: "torch.Tensor",
            counts: "torch.Tensor",
            which: "Sequence[int]",
        ) -> "torch.Tensor":
            pulled = prototype_loss(h, prototypes, sent["known"], y)
            return usual(loss, theta, h, y, counts, which) + self.lam * pulled

        training = replace(training, objective=OnFeatures(self.model, rule=rule))
        own = training.descend(state["own"], work, training.draw(work))
        means, counts = class_means(self.model.encode, own, work, self.model.n_out)
        return {"theta": means.flatten(1), "counts": counts}, {"own": own}

    def aggregate(self, server: Arrays, uploads: Arrays, n_samples: np.ndarray) -> Arrays:
        """Average prototypes over the clients that have the class, by samples of it or equally."""
        shape = (-1, self.model.n_out, self.model.n_features)
        before, uploaded = server["theta"].reshape(shape)[0], uploads["theta"].reshape(shape)
        weights = np.array([self.shares(of_class) for of_class in uploads["counts"].T]).T
        prototypes, known = merge(before, uploaded, weights * (uploads["counts"] > 0))
        return {"theta": prototypes.ravel(), "known": np.maximum(server["known"], known)}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return clients' own models."""
        return state["own"]

    @property
    def adapts(self) -> bool:
        """Whether labels come from prototypes instead of heads."""
        return self.test == "prototypes"

    def at_test(self, server: Arrays, state: Arrays) -> Arrays:
        """Return the prototypes, and which are known, for each client."""
        n_clients = len(state["own"])
        return {name: copies(server[key], n_clients) for name, key in TESTED.items()}

    def adapt(self, objective: "Objective", state: Tensors, x: "torch.Tensor") -> "torch.Tensor":
        """Compute the negative distance of each sample's features to each known prototype."""
        import torch

        prototypes = state["prototypes"].view(self.model.n_out, self.model.n_features)
        outputs = []
        with torch.no_grad():
            for batch in torch.split(x, BATCH):
                h = self.model.encode(state["theta"][None], batch[None])[0]
                far = ((h[:, None] - prototypes) ** 2).mean(-1)
                outputs.append(torch.where(state["known"] > 0, -far, UNKNOWN))
        return torch.cat(outputs)


def prototype_loss(
    h: "torch.Tensor", prototypes: "torch.Tensor", known: "torch.Tensor", y: "torch.Tensor"
) -> "torch.Tensor":
    """Compute squared distances ``[K, B]`` of features ``[K, B, m]`` to prototypes ``[C, m]``.

    They are means over m, and 0 where the class has no prototype.
    """
    return ((h - prototypes[y]) ** 2).mean(-1) * known[y]


ALGORITHM = FedProto
