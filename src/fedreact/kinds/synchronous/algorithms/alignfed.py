"""AlignFed (Zhu et al. 2024, "Aligning before aggregating: Enabling communication efficient
cross-domain federated learning via consistent feature extraction")."""

from dataclasses import dataclass, replace
from math import pi
from typing import ClassVar

import numpy as np

from fedreact.kinds.synchronous.algorithms.partly_shared import PartlyShared
from fedreact.options import NonNegative, Positive


@dataclass(frozen=True)
class AlignFed(PartlyShared):
    """Clients keep their feature extractors, which aim at the same points, and share a classifier.

    Its authors' code is not public, and of the paper's text we have the abstract: "global target
    points", spread uniformly over a hypersphere, are the same for all clients, and features are
    drawn to that of their class and away from the others. Weight and temperature are our choice
    (``alignfed`` in config/papers/fedst/ledger.yaml).

    Attributes
    ----------
    lam
        Weight of the contrast between target points.
    tau
        Temperature of the contrast.
    """

    lam: NonNegative = 1.0
    tau: Positive = 0.1
    reads_features: ClassVar[bool] = True

    @staticmethod
    def skip(task):
        """A point is that of a label."""
        return None if task.kind == "classification" else "its target points are of labels"

    @property
    def shared(self):
        """The classifier."""
        return self.model.part("head.")

    def local(self, training, sent, state, work):
        """Train extractor and classifier on cross-entropy and on the contrast."""
        import torch

        from fedreact.losses.on_features import OnFeatures, usual

        points = target_points(self.model.n_out, self.model.n_features)
        points = torch.from_numpy(points).to(sent["theta"].device)

        def rule(loss, theta, h, y, counts, which):
            near = torch.nn.functional.normalize(h, dim=-1) @ points.mT / self.tau
            return usual(loss, theta, h, y, counts, which) + self.lam * loss.of_outputs(near, y)

        objective = OnFeatures(self.model, rule=rule)
        return super().local(replace(training, objective=objective), sent, state, work)


def target_points(n_classes: int, n_features: int) -> np.ndarray:
    """Points ``float32 [C, m]`` of length 1, as far apart as can be: the corners of a simplex.

    The points come from a basis of cosines, minus their mean. With more classes than features
    there is no simplex, and corners repeat.
    """
    n = min(n_classes, n_features)
    at = (np.arange(n_features) + 0.5) * pi / n_features
    basis = np.cos(np.arange(n)[:, None] * at)
    basis /= np.linalg.norm(basis, axis=1, keepdims=True)
    corners = basis - basis.mean(0)
    corners /= np.maximum(np.linalg.norm(corners, axis=1, keepdims=True), 1e-12)
    return corners[np.arange(n_classes) % n].astype(np.float32)


ALGORITHM = AlignFed
