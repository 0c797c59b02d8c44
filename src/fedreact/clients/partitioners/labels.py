"""Clusters that hold given labels (EEG; Fed-REACT, arXiv section 4.1)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import check_sizes, labels_of, of_pools
from fedreact.errors import UserError
from fedreact.options import InnerShare, Natural, Sizes
from fedreact.rng import generator

OfCluster = Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class Labels:
    """Clients in clusters with given labels.

    Attributes
    ----------
    cluster_sizes
        Clients in each cluster, e.g. 3,3,4.
    labels
        The labels of each cluster, e.g. 0_1_0,1.
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    """

    cluster_sizes: Sizes
    labels: Annotated[tuple[OfCluster, ...], msgspec.Meta(min_length=1)]
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    @property
    def n_clients(self):
        """All clusters' clients."""
        return sum(self.cluster_sizes)

    def deal(self, data, seed):
        """Share trials among clusters, then draw clients."""
        return partition_by_labels(
            *(labels_of(data, trials=True), list(self.cluster_sizes), list(map(list, self.labels))),
            *(seed, data.trial, self.samples_per_client, self.test_share),
        )


def partition_by_labels(
    y: np.ndarray,
    cluster_sizes: list[int],
    labels: list[list[int]],
    seed: int,
    trial: np.ndarray | None = None,
    samples_per_client: int = 2400,
    test_share: float = 0.1,
) -> Partition:
    """Draw clients of clusters that hold given labels, each about as many trials (arXiv, 4.1).

    Parameters
    ----------
    labels
        The labels of each cluster, e.g. ``[[0], [1], [0, 1]]``. A cluster's share of a label is
        one over its number of labels, so that clusters have samples in equal numbers.
    trial
        ``int [N]``: series of a trial stay together, in one cluster and in its train or its test
        set. ``None``: each is a trial of its own.

    Other parameters are those of :func:`fedreact.clients.partitioners.dirichlet.partition`.
    """
    check_sizes(cluster_sizes, samples_per_client, test_share)
    known = np.unique(y)
    if len(labels) != len(cluster_sizes) or not set(np.concatenate(labels)) <= set(known):
        raise UserError(
            f"partition: labels {labels} must give {len(cluster_sizes)} clusters some of the "
            f"labels {known.tolist()}"
        )
    rng = generator(seed, "partition")
    trial = np.arange(len(y)) if trial is None else trial
    pools = [[] for _ in labels]
    for label in known:
        trials = rng.permutation(np.unique(trial[y == label]))
        weights = np.array([(label in own) / len(own) for own in labels])
        if not weights.any():
            continue
        ends = np.round(np.cumsum(weights / weights.sum())[:-1] * len(trials)).astype(int)
        for pool, piece in zip(pools, np.split(trials, ends)):
            pool.append(np.flatnonzero(np.isin(trial, piece) & (y == label)))
    pools = [np.concatenate(pool) for pool in pools]
    if fewest := [c for c, pool in enumerate(pools) if len(np.unique(trial[pool])) < 2]:
        raise UserError(
            f"partition: cluster {fewest[0] + 1} has fewer than two trials, of which one would be "
            "the test set; use more data or fewer clusters"
        )
    return of_pools(y, pools, cluster_sizes, rng, samples_per_client, test_share, trial)


PARTITIONER = Labels
