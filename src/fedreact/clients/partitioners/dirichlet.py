"""Clusters by Dirichlet shares of each label (Fed-REACT, section 4.1; arXiv, appendices D and G.1).

The samples of each label are distributed over C clusters by a Dirichlet(beta) draw; the clients of
a cluster draw 2,400 samples (arXiv 4.1) uniformly from it, with a 90/10 split into train and test.
"""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import ClusterPartitioner, Split, labels_of
from fedreact.clients.regimes.contract import InRegime
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import InnerShare, Positive, Sizes
from fedreact.rng import generator

MAX_DRAWS = 1000


@dataclass(frozen=True)
class Dirichlet(InRegime, ClusterPartitioner):
    """Clients of clusters that differ in their labels.

    Attributes
    ----------
    beta
        Dirichlet parameter; the smaller, the more heterogeneous.
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

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Draw clusters, then clients."""
        y, rng = labels_of(data), generator(seed, "partition")
        self.check_sizes()
        n_clusters = len(self.cluster_sizes)
        # Two samples at least: one to train on, one to test.
        pools = dirichlet_clusters(y, n_clusters, self.beta, rng, max(2, self.min_samples))
        return self.draw_from_pools(y, pools, rng, split=self.split)


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
        parts: list[list[np.ndarray]] = [[] for _ in range(n_clusters)]
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


PARTITIONER = Dirichlet
