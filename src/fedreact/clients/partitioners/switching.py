"""Clusters with two label distributions each, for Strategy 1 (Fed-REACT, arXiv section 4.2)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partitioners.dirichlet import dirichlet_clusters
from fedreact.clients.partitioners.distributions import DistributionPartitioner
from fedreact.options import InnerShare, Positive, Sizes
from fedreact.rng import generator


@dataclass(frozen=True)
class Switching(DistributionPartitioner):
    """Clients of clusters that switch between two distributions, of two Dirichlet draws.

    Attributes
    ----------
    beta
        Dirichlet parameter of both draws.
    """

    cluster_sizes: Sizes
    beta: Positive
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    def distributions(self, y: np.ndarray, seed: int) -> np.ndarray:
        """Draw both distributions ``[C, 2, labels]`` of each cluster."""
        return switching_clusters(y, len(self.cluster_sizes), self.beta, seed)


def switching_clusters(y: np.ndarray, n_clusters: int, beta: float, seed: int) -> np.ndarray:
    """Draw two label distributions for each cluster, of two Dirichlet draws (Strategy 1).

    Returns
    -------
    numpy.ndarray
        ``[C, 2, n_labels]``.
    """
    n_labels = int(y.max()) + 1
    draws = []
    for state in range(2):
        pools = dirichlet_clusters(y, n_clusters, beta, generator(seed, "states", state))
        counts = np.stack([np.bincount(y[pool], minlength=n_labels) for pool in pools])
        draws.append(counts / counts.sum(1, keepdims=True))
    return np.stack(draws, axis=1)


PARTITIONER = Switching
