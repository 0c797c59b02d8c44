"""FedRoD: a generic head for all classes, and a personal one for the client's own.

Chen and Chao 2022, "On bridging generic and personalized federated learning for image
classification", ICLR, section 4, with a linear personal head. With z(x) the features of x, n_kc the
samples of class c at client k, and outputs g = G z(x) and p = P_k z(x),

    minimise  CE(y, g + log n_k)          features and G, a balanced softmax      client
    minimise  CE(y, g + p)                P_k alone                               client, P_k kept
    theta = sum_k n_k w_k / sum_k n_k     features and G                          server
    y     = argmax (g + p)                                                        test

The authors' code is not public; the paper leaves the personal head open and PFLlib has this one.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from fedreact.kinds.synchronous.contract import Algorithm, Arrays, Tensors
from fedreact.options import NonNegative
from fedreact.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.on_features import OnFeatures
    from fedreact.models.architectures.contract import Architecture
    from fedreact.models.two_heads import TwoHeads


@dataclass(frozen=True)
class FedRoD(Algorithm):
    """Two heads.

    Attributes
    ----------
    smoothing
        Added to a client's count of each class; with 0, a missing class has no gradient.
    """

    smoothing: NonNegative = 0.0

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse tasks without labels, which the loss balances."""
        return None if task.kind == "classification" else "its loss balances labels"

    def on(self, architecture: "Architecture") -> Self:
        """Return the algorithm on the architecture with a second head."""
        from fedreact.models.architectures.contract import with_features
        from fedreact.models.two_heads import TwoHeads

        return super().on(TwoHeads(with_features(architecture)))

    @property
    def model(self) -> "TwoHeads":
        """The architecture with a second head."""
        return self._model

    def server(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return all weights but those of the personal head."""
        return {"theta": theta[self.shared]}

    def start(self, theta: np.ndarray, n_clients: int) -> Arrays:
        """Return the personal heads."""
        return {"personal": np.repeat(theta[None, self._own], n_clients, axis=0)}

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train on both losses at once: neither has a gradient where the other has."""
        from fedreact.losses.on_features import OnFeatures

        theta = self._whole(sent["theta"].expand(len(work.clients), -1), state["personal"])
        log_counts = (class_counts(work, self.model.n_out) + self.smoothing).log()

        def rule(
            loss: "OnFeatures",
            theta: "torch.Tensor",
            h: "torch.Tensor",
            y: "torch.Tensor",
            counts: "torch.Tensor",
            which: "Sequence[int]",
        ) -> "torch.Tensor":
            generic = self.model.head(theta, h)
            own = generic.detach() + self.model.personal(theta, h.detach())
            balanced = generic + log_counts[list(which)][:, None]
            return loss.of_outputs(balanced, y) + loss.of_outputs(own, y)

        training = replace(training, objective=OnFeatures(self.model, rule=rule))
        theta = training.descend(theta, work, training.draw(work))
        return {"theta": theta[:, self.shared]}, {"personal": theta[:, self._own]}

    def personal(self, server: Arrays, state: Arrays) -> np.ndarray:
        """Return the generic model, with each client's own head."""
        import torch

        own = torch.from_numpy(state["personal"])
        shared = torch.from_numpy(server["theta"]).expand(len(own), -1)
        return self._whole(shared, own).numpy()

    def zero_shot(self, server: Arrays) -> np.ndarray:
        """Return the generic model: a personal head of zeros adds nothing to its outputs."""
        import torch

        shared = torch.from_numpy(server["theta"])[None]
        return self._whole(shared, shared.new_zeros(1, len(self._own))).numpy()[0]

    def _whole(self, shared: "torch.Tensor", own: "torch.Tensor") -> "torch.Tensor":
        """Join both parts into flat weights ``[K, P]``."""
        theta = shared.new_empty(len(own), self.model.n_parameters)
        theta[:, self.shared], theta[:, self._own] = shared, own
        return theta

    @property
    def _own(self) -> "torch.Tensor":
        """Places of the personal head."""
        return self.model.part("personal.")

    @property
    def shared(self) -> "torch.Tensor":
        """Places of all weights but those of the personal head."""
        import torch

        shared = torch.ones(self.model.n_parameters, dtype=torch.bool)
        shared[self._own] = False
        return shared.nonzero()[:, 0]


def class_counts(work: "Work", n_classes: int) -> "torch.Tensor":
    """Count the samples ``[K, C]`` of each class that clients have."""
    import torch

    counts = []
    for samples in work.clients:
        y = work.data.targets(torch.as_tensor(samples, device=work.data.X.device))
        counts.append(torch.bincount(y, minlength=n_classes))
    return torch.stack(counts).float()


ALGORITHM = FedRoD
