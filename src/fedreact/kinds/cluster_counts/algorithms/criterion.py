"""A criterion of :mod:`fedreact.clustering.n_clusters` within AFFECT, or on each round alone."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedreact.clustering import n_clusters
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative
from fedreact.kinds.cluster_counts.contract import Setting


class Smoothed(NamedTuple):
    """Memory of AFFECT: smoothed similarities ``[K, K]`` and the forgetting factor."""

    psi: np.ndarray
    alpha: float


@dataclass(frozen=True)
class Criterion:
    """Clusters whose number a criterion chooses.

    Attributes
    ----------
    criterion
        Its name.
    smoothed
        Whether it reads the similarities that AFFECT smooths, in each of AFFECT's iterations, or
        those of the round alone.
    """

    setting: Setting
    criterion: n_clusters.Criterion = "elbow"
    smoothed: bool = True

    def round(self, memory: Smoothed | None, W: np.ndarray) -> tuple[Smoothed | None, np.ndarray]:
        """Return the memory after a round with similarities ``[K, K]``, and clusters ``[K]``."""
        s = self.setting
        if not self.smoothed:
            return None, self._clusters(W)
        if memory is None:
            memory = Smoothed(W if s.start == "first" else np.zeros_like(W), 0.0)
        psi, alpha, labels = affect(W, memory.psi, self._clusters, memory.alpha, s.iterations)
        return Smoothed(psi, alpha), labels

    def _clusters(self, similarity: np.ndarray) -> np.ndarray:
        """Cluster by similarities ``[K, K]``."""
        s = self.setting
        C = n_clusters.choose(self.criterion, similarity, s.linkage, s.max_clusters, s.seed)
        return agglomerative(similarity, C, s.linkage)


ALGORITHM = Criterion
