"""Baselines with given clusters: each client alone, all together, or the true clusters.

Clients fit exactly, as in Fed-REACT, or descend from the model that they hold, as in IFCA.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import round_models
from fedreact.aggregation.temporal import memory_named
from fedreact.kinds.clustered.contract import LocalWork, Setting, Uploads
from fedreact.options import Count, Positive


class GivenClustersState(NamedTuple):
    """Memory of clients and server between rounds.

    Attributes
    ----------
    saved
        ``[K, P]`` last task model of each client.
    held
        ``[K, P]`` model that each client holds; zeros before its first round.
    memory
        Memory of the aggregation.
    """

    saved: np.ndarray
    held: np.ndarray
    memory: Any = None


@dataclass(frozen=True)
class GivenClusters:
    """Means of task models, as Fed-REACT takes them, within clusters that are given.

    Attributes
    ----------
    clusters
        Clusters: ``each`` client alone (*local*), ``one`` for all (*global*) or the ``true`` ones
        (*oracle*).
    memory
        Means over the rounds, as in Fed-REACT: ``a1``, or ``none``.
    local, learning_rate, steps
        What a client does in a round, as in Fed-REACT.
    """

    setting: Setting
    clusters: Literal["each", "one", "true"] = "each"
    memory: Literal["a1", "none"] = "none"
    local: LocalWork = "fit"
    learning_rate: Positive = 0.3
    steps: Count = 100

    @staticmethod
    def role(options: Mapping[str, Any]) -> str:
        """Return ``alone`` if clients share no task model, by whatever encoder."""
        return "alone" if options.get("clusters", "each") == "each" else "federated"

    @property
    def knows_truth(self) -> bool:
        """Whether the algorithm looks at the true clusters."""
        return self.clusters == "true"

    def traffic(self) -> tuple[int, int]:
        """Count task models: clients alone receive and send none."""
        return (0, 0) if self.clusters == "each" else (1, 1)

    def init(self, n_clients: int, shape: tuple[int, int]) -> GivenClustersState:
        """Make the state before round 1: zeros."""
        nothing = np.zeros((n_clients, shape[0] * shape[1]), np.float32)
        return GivenClustersState(nothing, nothing)

    def round(
        self, state: GivenClustersState, uploads: Uploads
    ) -> tuple[GivenClustersState, np.ndarray, np.ndarray]:
        """Take lines 9 and 11 of Algorithm 2, and send every estimate."""
        K = len(uploads.present)
        if self.clusters == "true":
            # Their number is the data's, whatever ``n_clusters`` is.
            truth = self.setting.known_truth
            labels, C = truth[uploads.t - 1], int(truth.max()) + 1
        else:
            labels, C = (np.arange(K), K) if self.clusters == "each" else (np.zeros(K, int), 1)
        fitted = uploads.after(state.held, self.local, self.learning_rate, self.steps)
        saved = np.where(uploads.present[:, None], fitted, state.saved)
        models, observed = round_models(
            fitted, uploads.n_samples, uploads.present, saved, labels, C
        )
        memory, estimate = memory_named(self.memory)(state.memory, models, 0.0, observed)
        held = estimate[labels]
        known = np.where(observed[labels][:, None], held, state.held).astype(np.float32)
        return GivenClustersState(saved, known, memory), held, labels


ALGORITHM = GivenClusters
