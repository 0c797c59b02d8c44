"""Clients of clusters that are label distributions: they draw from all samples.

Where data drifts (Fed-REACT, arXiv section 4.2), a cluster is one or more label distributions
instead of a pool of samples.
"""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import ClusterPartitioner, labels_of
from fedreact.clients.sampling import draw
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.rng import generator


class DistributionPartitioner(ClusterPartitioner):
    """A partitioner whose clusters are label distributions."""

    def distributions(self, y: np.ndarray, seed: int) -> np.ndarray:
        """Draw the label distributions ``[C, S, labels]`` of each cluster, in each of S states."""
        raise NotImplementedError

    def deal(self, data: SeriesDataset, seed: int) -> Partition:
        """Draw the distributions of each cluster, then clients."""
        y = labels_of(data)
        distributions = self.distributions(y, seed)
        return self.draw_from_all(y, distributions, generator(seed, "partition"))

    def draw_from_all(
        self, y: np.ndarray, distributions: np.ndarray, rng: np.random.Generator
    ) -> Partition:
        """Draw clients from all samples.

        ``test_share`` of each label's samples is held out from all clients. A client's train
        and test sets follow the mean distribution of its cluster; the encoder is trained on them.
        """
        self.check_sizes()
        n_labels = int(y.max()) + 1
        members = [rng.permutation(np.flatnonzero(y == label)) for label in range(n_labels)]
        for label in np.flatnonzero(distributions.any((0, 1))):
            if len(members[label]) < 2:
                raise UserError(
                    f"partition: label {label} has {len(members[label])} of the samples; two are "
                    "needed, to train and test"
                )
        # Neither all nor none, whatever the share.
        cuts = [max(1, min(len(m) - 1, round(self.test_share * len(m)))) for m in members]
        test_pools = [m[:cut] for m, cut in zip(members, cuts)]
        train_pools = [m[cut:] for m, cut in zip(members, cuts)]
        clusters = np.repeat(np.arange(len(self.cluster_sizes)), self.cluster_sizes)
        n = self.samples_per_client
        n_test = max(1, min(n - 1, round(self.test_share * n)))
        train, test = [], []
        for shares in distributions.mean(1)[clusters]:
            # A client repeats no sample: it has fewer than its share of a label with few samples.
            train.append(np.unique(draw(train_pools, shares, n - n_test, rng)))
            test.append(np.unique(draw(test_pools, shares, n_test, rng)))
        counts = np.zeros((len(self.cluster_sizes), n_labels), dtype=np.int64)
        for c, *sets in zip(clusters, train, test):
            for samples in sets:
                counts[c] += np.bincount(y[samples], minlength=n_labels)
        held_out = np.sort(np.concatenate(test_pools))
        return Partition(clusters, train, test, counts, distributions, held_out)
