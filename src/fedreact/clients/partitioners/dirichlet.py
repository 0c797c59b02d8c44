"""Clusters by Dirichlet shares of each label (Fed-REACT, section 4.1; arXiv, appendices D and G.1).

The samples of each label are distributed over C clusters by a Dirichlet(beta) draw; the clients of
a cluster draw 2,400 samples (arXiv 4.1) uniformly from it, with a 90/10 split into train and test.
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import Split, check_sizes, labels_of, of_pools
from fedreact.errors import UserError
from fedreact.options import InnerShare, Positive, Sizes
from fedreact.rng import generator

MAX_DRAWS = 1000


@dataclass(frozen=True)
class Dirichlet:
    """Clients of clusters that differ in their labels.

    Attributes
    ----------
    cluster_sizes
        Clients in each cluster, e.g. 3,3,4.
    beta
        Dirichlet parameter; the smaller, the more heterogeneous.
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    min_samples
        Smallest cluster that is accepted.
    split
        What is split into train and test samples: each ``cluster`` once, or each ``client``.
    """

    cluster_sizes: Sizes
    beta: Positive
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1
    min_samples: Annotated[int, msgspec.Meta(ge=2)] = 100
    split: Split = "cluster"

    @property
    def n_clients(self):
        """All clusters' clients."""
        return sum(self.cluster_sizes)

    def deal(self, data, seed):
        """Draw clusters, then clients."""
        return partition(
            *(labels_of(data), list(self.cluster_sizes), self.beta, seed),
            *(self.samples_per_client, self.test_share, self.min_samples, self.split),
        )


def dirichlet_clusters(
    y: np.ndarray,
    n_clusters: int,
    beta: float,
    rng: np.random.Generator,
    min_samples: int = 1,
) -> list[np.ndarray]:
    """Distribute the samples of each label over clusters by Dirichlet(beta) shares.

    A draw that leaves a cluster with fewer than ``min_samples`` samples is degenerate (its clients
    could not be trained and tested) and is drawn anew, all labels together.

    Returns
    -------
    list of arrays
        The sample indices of each cluster, ``n_clusters`` disjoint arrays that cover ``y``.

    Raises
    ------
    UserError
        No usable draw within 1,000 tries.
    """
    if not 0 < beta < 1e9:
        raise UserError(f"partition: beta is {beta}; it must be positive and below 1e9")
    if min_samples * n_clusters > len(y):
        raise UserError(
            f"partition: {len(y)} samples cannot give {n_clusters} clusters "
            f"of at least {min_samples}; use fewer clusters or more data"
        )
    for _ in range(MAX_DRAWS):
        parts = [[] for _ in range(n_clusters)]
        for label in np.unique(y):
            members = rng.permutation(np.flatnonzero(y == label))
            shares = rng.dirichlet(np.full(n_clusters, beta))
            ends = np.round(np.cumsum(shares)[:-1] * len(members)).astype(int)
            for part, piece in zip(parts, np.split(members, ends)):
                part.append(piece)
        clusters = [np.sort(np.concatenate(part)) for part in parts]
        if min(map(len, clusters)) >= min_samples:
            return clusters
    raise UserError(
        f"partition: {MAX_DRAWS} Dirichlet draws with beta = {beta} each left one of {n_clusters} "
        f"clusters with fewer than {min_samples} samples; use a larger beta or fewer clusters"
    )


def partition(
    y: np.ndarray,
    cluster_sizes: list[int],
    beta: float,
    seed: int,
    samples_per_client: int = 2400,
    test_share: float = 0.1,
    min_samples: int = 100,
    split: Split = "cluster",
) -> Partition:
    """Draw clusters and clients.

    Parameters
    ----------
    y
        ``int [N]`` labels, 0 to n_labels - 1.
    cluster_sizes
        Clients in each cluster, e.g. ``[3, 3, 4]``; client numbers follow the clusters.
    beta
        Dirichlet parameter; the smaller, the more heterogeneous.
    samples_per_client
        Samples a client draws, train and test together, without repetition. Clients of a cluster
        draw from the same pool, so they share samples; a client of a cluster that has fewer takes
        them all.
    test_share
        Share of the test set.
    min_samples
        Smallest cluster that is accepted, at least 2: one sample to train on, one to test.
    split
        By ``cluster``, the cluster's pool is split once and each client draws from both parts,
        which keeps test samples out of every train set of the cluster. By ``client``, each splits
        what it has drawn.
    """
    check_sizes(cluster_sizes, samples_per_client, test_share)
    rng = generator(seed, "partition")
    pools = dirichlet_clusters(y, len(cluster_sizes), beta, rng, max(2, min_samples))
    return of_pools(y, pools, cluster_sizes, rng, samples_per_client, test_share, split=split)


PARTITIONER = Dirichlet
