"""Clients that draw from a pool of samples, one for each cluster."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.options import Sizes

Split = Literal["cluster", "client"]
"""What is split into train and test samples: each cluster's samples once, or each client's."""


def labels_of(data: SeriesDataset, trials: bool = False) -> np.ndarray:
    """Return the labels ``int [N]`` of a dataset.

    ``trials`` says whether series that belong to trials can be dealt, which may not be split.

    Raises
    ------
    UserError
        The dataset has no label for each series, or trials that cannot be dealt.
    """
    if data.task.kind != "classification":
        raise UserError(
            f"partition: {data.name} has no label for each series ({data.task.kind}); deal it "
            "`by: owner`"
        )
    if data.trial is not None and not trials:
        raise UserError(
            f"partition: series of {data.name} belong to trials, which would be split; deal it "
            "`by: labels` or `by: owner`"
        )
    return data.y


def check_sizes(cluster_sizes: Sequence[int], samples_per_client: int, test_share: float) -> None:
    """Raise a ``UserError`` for sizes that no data could have."""
    if not cluster_sizes or min(cluster_sizes) < 1:
        raise UserError(f"partition: cluster sizes {list(cluster_sizes)} must be 1 or more each")
    if samples_per_client < 2:
        raise UserError(
            f"partition: {samples_per_client} samples a client; two are needed, to train and test"
        )
    if not 0 < test_share < 1:
        raise UserError(f"partition: the share to test on is {test_share}; it must lie in (0, 1)")


class ClusterPartitioner:
    """A partitioner whose clients belong to clusters of stated sizes.

    Attributes
    ----------
    cluster_sizes
        Clients in each cluster, e.g. 3,3,4.
    samples_per_client
        Samples that a client draws, train and test together.
    test_share
        Share of the test set.
    """

    cluster_sizes: Sizes
    samples_per_client: int
    test_share: float

    @property
    def n_clients(self) -> int:
        """Number of clients of all clusters."""
        return sum(self.cluster_sizes)

    def check_sizes(self) -> None:
        """Raise a ``UserError`` for sizes that no data could have."""
        check_sizes(self.cluster_sizes, self.samples_per_client, self.test_share)

    def draw_from_pools(
        self,
        y: np.ndarray,
        pools: Sequence[np.ndarray],
        rng: np.random.Generator,
        trial: np.ndarray | None = None,
        split: Split = "cluster",
    ) -> Partition:
        """Draw clients from the samples of their clusters; client numbers follow the clusters.

        Clients of a cluster draw from the same pool without repetition, so they share samples; a
        client of a pool with too few samples takes them all.

        Parameters
        ----------
        y
            ``int [N]``: labels.
        pools
            Indices of the samples of each cluster.
        trial
            ``int [N]``: trials, which are not split; ``None``: each sample is one.
        split
            By ``cluster``, a pool is split once and each client draws from both parts, which keeps
            test samples out of every train set of the cluster. By ``client``, each splits the
            samples that it has drawn, so most of its test samples are train samples of others.
        """
        clusters, train, test = [], [], []
        n_test = max(1, round(self.test_share * self.samples_per_client))
        n_train = self.samples_per_client - n_test
        for c, (pool, size) in enumerate(zip(pools, self.cluster_sizes)):
            if trial is None:
                pool = rng.permutation(pool)
                tests, trains = self._cut(pool)
            else:
                tests, trains = self._split_trials(pool, y, trial, rng)
            for _ in range(size):
                clusters.append(c)
                if split == "client":
                    tests, trains = self._cut(rng.permutation(pool)[: self.samples_per_client])
                test.append(np.sort(rng.permutation(tests)[:n_test]))
                train.append(np.sort(rng.permutation(trains)[:n_train]))
        n_labels = int(y.max()) + 1
        counts = np.stack([np.bincount(y[pool], minlength=n_labels) for pool in pools])
        shares = counts / counts.sum(1, keepdims=True)
        return Partition(np.array(clusters), train, test, counts, shares[:, None], NOTHING)

    def _cut(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Cut samples into the first ones, to test on, and the others."""
        n_test = max(1, round(self.test_share * len(samples)))
        return samples[:n_test], samples[n_test:]

    def _split_trials(
        self, pool: np.ndarray, y: np.ndarray, trial: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Split a pool into test and train samples, by a share of the trials of each label."""
        held_out = []
        for label in np.unique(y[pool]):
            trials = rng.permutation(np.unique(trial[pool[y[pool] == label]]))
            held_out.append(self._cut(trials)[0])
        in_test = np.isin(trial[pool], np.concatenate(held_out))
        return pool[in_test], pool[~in_test]
