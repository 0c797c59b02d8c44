"""The label of the nearest centroid."""

from dataclasses import dataclass

import numpy as np

from fedreact.options import Positive


@dataclass(frozen=True)
class Nearest:
    """Nearest centroids.

    Attributes
    ----------
    power
        Of distances.
    """

    power: Positive = 2.0

    def means(self, X, y):
        """Sums of series and of ones, by label."""
        member = (y[:, None] == np.arange(3)).astype(float)
        return np.concatenate([member.T @ X, member.sum(0)[:, None]], axis=1)

    def outputs(self, total, X):
        """Minus the distances to the centroids."""
        centroids = total[:, :-1] / np.maximum(total[:, -1:], 1)
        return -(np.abs(X[:, None] - centroids) ** self.power).sum(-1)


ALGORITHM = Nearest
