"""Baselines with given clusters: each client alone, all together, or the true clusters."""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import round_models
from fedreact.aggregation.temporal import memory_named
from fedreact.algorithms.clustered.contract import Setting, Uploads


class Given(NamedTuple):
    """Last task model of each client ``[K, P]``, and what the aggregation remembers."""

    saved: np.ndarray
    memory: Any = None


@dataclass(frozen=True)
class GivenClusters:
    """Means of exact fits, as Fed-REACT takes them, within clusters that are given.

    Attributes
    ----------
    clusters
        Clusters: ``each`` client alone (*local*), ``one`` for all (*global*) or the ``true`` ones
        (*oracle*).
    memory
        Means over the rounds, as in Fed-REACT: ``a1``, or ``none``.
    """

    setting: Setting
    clusters: Literal["each", "one", "true"] = "each"
    memory: Literal["a1", "none"] = "none"

    @property
    def knows_truth(self) -> bool:
        """Whether it looks at the true clusters."""
        return self.clusters == "true"

    def traffic(self) -> tuple[int, int]:
        """Clients for themselves send nothing."""
        return (0, 0) if self.clusters == "each" else (1, 1)

    def init(self, n_clients: int, shape: tuple[int, int]) -> Given:
        """Nothing is known before round 1."""
        return Given(np.zeros((n_clients, shape[0] * shape[1]), np.float32))

    def round(self, state: Given, uploads: Uploads) -> tuple[Given, np.ndarray, np.ndarray]:
        """Lines 9 and 11 of Algorithm 2, with every estimate sent."""
        K = len(uploads.models)
        if self.clusters == "true":
            # Their number is the data's, whatever the others are told.
            labels, C = self.setting.truth[uploads.t - 1], int(self.setting.truth.max()) + 1
        else:
            labels, C = (np.arange(K), K) if self.clusters == "each" else (np.zeros(K, int), 1)
        saved = np.where(uploads.present[:, None], uploads.models, state.saved)
        sent = (uploads.models, uploads.n_samples, uploads.present)
        models, observed = round_models(*sent, saved, labels, C)
        memory, estimate = memory_named(self.memory)(state.memory, models, 0.0, observed)
        return Given(saved, memory), estimate[labels], labels


ALGORITHM = GivenClusters
