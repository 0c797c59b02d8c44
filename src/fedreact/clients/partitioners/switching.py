"""Clusters with two label distributions each, for Strategy 1 (Fed-REACT, arXiv section 4.2)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partitioners.dirichlet import dirichlet_clusters
from fedreact.clients.partitioners.distributions import of_distributions
from fedreact.clients.partitioners.pools import labels_of
from fedreact.options import InnerShare, Positive, Sizes
from fedreact.rng import generator


@dataclass(frozen=True)
class Switching:
    """Clients of clusters that switch between two distributions, of two Dirichlet draws.

    Attributes
    ----------
    cluster_sizes
        Clients in each cluster, e.g. 3,3,4.
    beta
        Dirichlet parameter of both draws.
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    """

    cluster_sizes: Sizes
    beta: Positive
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    @property
    def n_clients(self):
        """All clusters' clients."""
        return sum(self.cluster_sizes)

    def deal(self, data, seed):
        """Draw both distributions of each cluster, then clients."""
        y, sizes = labels_of(data), list(self.cluster_sizes)
        distributions = switching_clusters(y, len(sizes), self.beta, seed)
        rng = generator(seed, "partition")
        amounts = (self.samples_per_client, self.test_share)
        return of_distributions(y, sizes, distributions, rng, *amounts)


def switching_clusters(y: np.ndarray, n_clusters: int, beta: float, seed: int) -> np.ndarray:
    """Two label distributions for each cluster, of two Dirichlet draws (Strategy 1).

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
