"""AlignFed: clients keep their feature extractors, which aim at the same points, and share a
classifier.

Zhu, Liu, Tang and Niu 2022, "Aligning before aggregating: Enabling cross-domain federated learning
via consistent feature extraction", ICDCS; extended in IEEE Transactions on Mobile Computing 23 (5),
2024. We could read only the abstract of the latter, which has no equations. With points t_c on a
hypersphere, the same for all clients, and features z of length 1,

    f_k + lam CE(y, (z t_1, ..., z t_C) / tau)     is minimised            client, extractor kept
    theta = sum_k n_k w_k / sum_k n_k              classifier alone        server
"""

from dataclasses import dataclass, replace
from math import pi
from typing import TYPE_CHECKING

import numpy as np

from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared
from fedreact.kinds.synchronous.contract import FeatureAlgorithm, Tensors
from fedreact.options import NonNegative, Positive
from fedreact.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from fedreact.engine.local_training import LocalTraining, Work
    from fedreact.losses.on_features import OnFeatures


@dataclass(frozen=True)
class AlignFed(FeatureAlgorithm, PartlyShared):
    """Features aligned with common points.

    The authors' code is not public. Points, weight and temperature are our choice (``alignfed`` in
    config/papers/fedst/ledger.yaml).

    Attributes
    ----------
    lam
        Weight of the contrast between target points.
    tau
        Temperature of the contrast.
    """

    lam: NonNegative = 1.0
    tau: Positive = 0.1

    @staticmethod
    def skip(task: Task) -> str | None:
        """Refuse tasks without labels, which target points are of."""
        return None if task.kind == "classification" else "its target points are of labels"

    @property
    def shared(self) -> "torch.Tensor":
        """Places of the classifier."""
        return self.model.part("head.")

    def local(
        self, training: "LocalTraining", sent: Tensors, state: Tensors, work: "Work"
    ) -> tuple[Tensors, Tensors]:
        """Train extractor and classifier on cross-entropy and on the contrast."""
        import torch

        from fedreact.losses.on_features import OnFeatures, usual

        corners = target_points(self.model.n_out, self.model.n_features)
        points = torch.from_numpy(corners).to(sent["theta"].device)

        def rule(
            loss: "OnFeatures",
            theta: "torch.Tensor",
            h: "torch.Tensor",
            y: "torch.Tensor",
            counts: "torch.Tensor",
            which: "Sequence[int]",
        ) -> "torch.Tensor":
            near = torch.nn.functional.normalize(h, dim=-1) @ points.mT / self.tau
            return usual(loss, theta, h, y, counts, which) + self.lam * loss.of_outputs(near, y)

        objective = OnFeatures(self.model, rule=rule)
        return super().local(replace(training, objective=objective), sent, state, work)


def target_points(n_classes: int, n_features: int) -> np.ndarray:
    """Return points ``float32 [C, m]`` of length 1 that are farthest apart: a simplex's corners.

    The points come from a basis of cosines, minus their mean. With more classes than features
    there is no simplex, and corners repeat.
    """
    n = min(n_classes, n_features)
    angles = (np.arange(n_features) + 0.5) * pi / n_features
    basis = np.cos(np.arange(n)[:, None] * angles)
    basis /= np.linalg.norm(basis, axis=1, keepdims=True)
    corners = basis - basis.mean(0)
    corners /= np.maximum(np.linalg.norm(corners, axis=1, keepdims=True), 1e-12)
    return corners[np.arange(n_classes) % n].astype(np.float32)


ALGORITHM = AlignFed
