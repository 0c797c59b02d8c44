"""Clusters that hold given labels (EEG; Fed-REACT, arXiv section 4.1)."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import ClusterPartitioner, labels_of
from fedreact.clients.regimes.contract import InRegime
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import InnerShare, Natural, Sizes
from fedreact.rng import generator

LabelsOfCluster = Annotated[tuple[Natural, ...], msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class Labels(InRegime, ClusterPartitioner):
    """Clients in clusters with given labels, each about as many trials (arXiv, 4.1).

    A cluster's share of a label is one over its number of labels, so that clusters have samples in
    equal numbers. Series of a trial stay together, in one cluster and in its train or its test set.

    Attributes
    ----------
    labels
        The labels of each cluster, e.g. 0_1_0,1.
    """

    cluster_sizes: Sizes
    labels: Annotated[tuple[LabelsOfCluster, ...], msgspec.Meta(min_length=1)]
    samples_per_client: Annotated[int, msgspec.Meta(ge=5)] = 2400
    test_share: InnerShare = 0.1

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Share trials among clusters, then draw clients.

        Raises
        ------
        UserError
            Labels do not fit the clusters or the data, or a cluster has fewer than two trials.
        """
        y = labels_of(data, trials=True)
        self.check_sizes()
        labels, known = list(map(list, self.labels)), np.unique(y)
        if len(labels) != len(self.cluster_sizes) or not set(np.concatenate(labels)) <= set(known):
            raise UserError(
                f"partition: labels {labels} must give {len(self.cluster_sizes)} clusters some of "
                f"the labels {known.tolist()}"
            )
        rng = generator(seed, "partition")
        trial = np.arange(len(y)) if data.trial is None else data.trial
        parts: list[list[np.ndarray]] = [[] for _ in labels]
        for label in known:
            trials = rng.permutation(np.unique(trial[y == label]))
            weights = np.array([(label in own) / len(own) for own in labels])
            if not weights.any():
                continue
            ends = np.round(np.cumsum(weights / weights.sum())[:-1] * len(trials)).astype(int)
            for part, piece in zip(parts, np.split(trials, ends)):
                part.append(np.flatnonzero(np.isin(trial, piece) & (y == label)))
        pools = [np.concatenate(part) for part in parts]
        if fewest := [c for c, pool in enumerate(pools) if len(np.unique(trial[pool])) < 2]:
            raise UserError(
                f"partition: cluster {fewest[0] + 1} has fewer than two trials, of which one would "
                "be the test set; use more data or fewer clusters"
            )
        return self.draw_from_pools(y, pools, rng, trial)


PARTITIONER = Labels
