"""Baselines with given clusters: each client alone, all together, or the true clusters.

Clients fit exactly, as in Fed-REACT, or descend from the model that they hold, as in IFCA.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import round_models
from fedreact.aggregation.temporal import memory_named
from fedreact.kinds.clustered.contract import LocalWork, Setting, Uploads
from fedreact.options import Count, Positive


class Given(NamedTuple):
    """What is remembered between rounds.

    Attributes
    ----------
    saved
        ``[K, P]`` last task model of each client.
    held
        ``[K, P]`` model that each client holds; zeros before its first round.
    memory
        What the aggregation remembers.
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

    @property
    def knows_truth(self) -> bool:
        """Whether it looks at the true clusters."""
        return self.clusters == "true"

    def traffic(self) -> tuple[int, int]:
        """Clients for themselves send nothing."""
        return (0, 0) if self.clusters == "each" else (1, 1)

    def init(self, n_clients: int, shape: tuple[int, int]) -> Given:
        """Nothing is known before round 1."""
        nothing = np.zeros((n_clients, shape[0] * shape[1]), np.float32)
        return Given(nothing, nothing)

    def round(self, state: Given, uploads: Uploads) -> tuple[Given, np.ndarray, np.ndarray]:
        """Lines 9 and 11 of Algorithm 2, with every estimate sent."""
        K = len(uploads.models)
        if self.clusters == "true":
            # Their number is the data's, whatever the others are told.
            labels, C = self.setting.truth[uploads.t - 1], int(self.setting.truth.max()) + 1
        else:
            labels, C = (np.arange(K), K) if self.clusters == "each" else (np.zeros(K, int), 1)
        fitted = uploads.after(state.held, self.local, self.learning_rate, self.steps)
        saved = np.where(uploads.present[:, None], fitted, state.saved)
        sent = (fitted, uploads.n_samples, uploads.present)
        models, observed = round_models(*sent, saved, labels, C)
        memory, estimate = memory_named(self.memory)(state.memory, models, 0.0, observed)
        held = estimate[labels]
        there = observed[labels]
        known = np.where(there[:, None], held, state.held).astype(np.float32)
        return Given(saved, known, memory), held, labels


ALGORITHM = GivenClusters
