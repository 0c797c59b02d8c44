"""Example of a clustered algorithm: k-means of the clients' task models, and cluster means."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.cluster.vq import kmeans2

from fedreact.aggregation.mean import cluster_means
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.options import Count


class State(NamedTuple):
    """Last task model of each client ``[K, P]``, and who has ever taken part ``bool [K]``."""

    saved: np.ndarray
    seen: np.ndarray


@dataclass(frozen=True)
class KMeans:
    """Clusters clients by Euclidean distance, in each round anew.

    Attributes
    ----------
    restarts
        Random starts, of which the tightest clusters are taken.
    """

    setting: Setting
    restarts: Count = 5

    def init(self, n_clients: int, shape: tuple[int, int]) -> State:
        """Return the state before round 1, in which nothing is known."""
        return State(np.zeros((n_clients, shape[0] * shape[1])), np.zeros(n_clients, bool))

    def round(self, state: State, uploads: Uploads) -> tuple[State, np.ndarray, np.ndarray]:
        """Cluster the clients seen so far by their last models; absent ones get a model, too."""
        seen = state.seen | uploads.present
        saved = np.where(uploads.present[:, None], uploads.models, state.saved)
        labels = np.full(len(seen), -1)
        labels[seen] = self.cluster(saved[seen])
        means = cluster_means(saved, uploads.n_samples * seen, labels, self.setting.n_clusters)
        return State(saved, seen), means[labels], labels

    def cluster(self, models: np.ndarray) -> np.ndarray:
        """Return the labels ``[K]`` of the best of several starts."""
        candidates = []
        for restart in range(self.restarts):
            centres, labels = kmeans2(
                models,
                min(self.setting.n_clusters, len(models)),
                minit="++",
                seed=np.random.default_rng((self.setting.seed, restart)),
            )
            candidates.append((((models - centres[labels]) ** 2).sum(), restart, labels))
        return min(candidates, key=lambda candidate: candidate[:2])[2]


ALGORITHM = KMeans
