"""FILL IN: the method in one line, with its source. As it stands, it has two clusters, of
small and of large models.

In each round, clients upload task models. The server returns the model that each client holds next,
and the cluster of each client.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedreact.aggregation.mean import cluster_means
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.options import Probability


class State(NamedTuple):
    """Last task model of each client ``[K, P]``, and who has ever taken part ``bool [K]``."""

    saved: np.ndarray
    seen: np.ndarray


@dataclass(frozen=True)
class Mine:
    """FILL IN: what it does. Fields after ``setting`` are options, which experiment.yaml can set.

    Attributes
    ----------
    share
        Share of the clients, those with the smallest models, that are the first cluster.
    """

    setting: Setting
    share: Probability = 0.5

    def init(self, n_clients: int, shape: tuple[int, int]) -> State:
        """Return the state before round 1, in which nothing is known."""
        return State(np.zeros((n_clients, shape[0] * shape[1])), np.zeros(n_clients, bool))

    def round(self, state: State, uploads: Uploads) -> tuple[State, np.ndarray, np.ndarray]:
        """Return the state, the clients' models ``[K, P]``, and their clusters ``[K]``."""
        seen = state.seen | uploads.present
        saved = np.where(uploads.present[:, None], uploads.models, state.saved)
        labels = np.full(len(seen), -1)  # of clients that have never taken part
        labels[seen] = self.cluster(saved[seen])
        means = cluster_means(saved, uploads.n_samples * seen, labels, 2)
        return State(saved, seen), means[labels], labels

    def cluster(self, models: np.ndarray) -> np.ndarray:
        """Return the cluster of each model ``[n, P]``: FILL IN how clusters are found."""
        size = np.linalg.norm(models, axis=1)
        return (size > np.quantile(size, self.share)).astype(int)


ALGORITHM = Mine
