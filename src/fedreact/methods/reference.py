"""What the papers' methods are to be measured against: clusters that nobody has to find."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fedreact.aggregation import Aggregation
from fedreact.methods.contract import Phase2Setting, Uploads
from fedreact.methods.fed_react import round_models
from fedreact.methods.ifca import IFCA, IFCAState


class Given(NamedTuple):
    """Last task model of each client ``[K, P]``, and what the aggregation remembers."""

    saved: np.ndarray
    memory: Any = None


@dataclass(frozen=True)
class GivenClusters:
    """Means of exact fits, as Fed-REACT takes them, within clusters that are given.

    ``clusters`` is ``each`` (every client for itself: *local*), ``one`` (all together: *global*)
    or ``true`` (those of the data: *oracle*).
    """

    setting: Phase2Setting
    clusters: str
    aggregate: Aggregation

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
        models, observed = round_models(uploads, saved, labels, C)
        memory, estimate = self.aggregate(state.memory, models, 0.0, observed)
        return Given(saved, memory), estimate[labels], labels


def fedavg(setting: Phase2Setting, **options) -> IFCA:
    """FedAvg of one task model, trained by gradient descent: IFCA with one cluster."""
    return IFCA(replace(setting, n_clusters=1), **options)


class OracleFedAvg(IFCA):
    """FedAvg within the true clusters: IFCA whose clients know where they belong."""

    def init(self, n_clients: int, shape: tuple[int, int]) -> IFCAState:
        """Random models of the true clusters, whatever number the others are told."""
        true = replace(self.setting, n_clusters=int(self.setting.truth.max()) + 1)
        return IFCA.init(replace(self, setting=true), n_clients, shape)

    def choose(self, models: np.ndarray, uploads: Uploads, n: int) -> np.ndarray:
        """``int [K, 1]``: the true clusters."""
        return self.setting.truth[uploads.t - 1][:, None]
