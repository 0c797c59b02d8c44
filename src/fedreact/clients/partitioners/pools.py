"""Clients that draw from a pool of samples, one for each cluster."""

from typing import Literal

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

Split = Literal["cluster", "client"]
"""What is split into train and test samples: each cluster's samples once, or each client's."""


def labels_of(data: SeriesDataset, trials: bool = False) -> np.ndarray:
    """Labels ``int [N]`` of a dataset, which has one for each series.

    ``trials`` says whether series that belong to trials can be dealt, which may not be split.
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


def check_sizes(cluster_sizes, samples_per_client, test_share):
    """Refuse sizes that no data could have."""
    if not cluster_sizes or min(cluster_sizes) < 1:
        raise UserError(f"partition: cluster sizes {cluster_sizes} must be 1 or more each")
    if samples_per_client < 2:
        raise UserError(
            f"partition: {samples_per_client} samples a client; two are needed, to train and test"
        )
    if not 0 < test_share < 1:
        raise UserError(f"partition: the share to test on is {test_share}; it must lie in (0, 1)")


def of_pools(
    y,
    pools,
    cluster_sizes,
    rng,
    samples_per_client,
    test_share,
    trial=None,
    split: Split = "cluster",
):
    """Clients that draw from the samples of their clusters; trials are not split.

    With a ``split`` for each client, most of its test samples are train samples of others.
    """
    n_labels = int(y.max()) + 1
    clusters, train, test = [], [], []
    for c, (pool, size) in enumerate(zip(pools, cluster_sizes)):
        if trial is None:
            pool = rng.permutation(pool)
            n_test = max(1, round(test_share * len(pool)))
            parts = pool[:n_test], pool[n_test:]
        else:
            parts = _split_trials(pool, y, trial, test_share, rng)
        wanted_test = max(1, round(test_share * samples_per_client))
        wanted = wanted_test, samples_per_client - wanted_test
        for _ in range(size):
            clusters.append(c)
            if split == "client":
                samples = rng.permutation(pool)[:samples_per_client]
                n_test = max(1, round(test_share * len(samples)))
                parts = samples[:n_test], samples[n_test:]
            for kept, samples, n in zip((test, train), parts, wanted):
                kept.append(np.sort(rng.permutation(samples)[:n]))
    counts = np.stack([np.bincount(y[pool], minlength=n_labels) for pool in pools])
    shares = counts / counts.sum(1, keepdims=True)
    return Partition(np.array(clusters), train, test, counts, shares[:, None], NOTHING)


def _split_trials(pool, y, trial, test_share, rng):
    """Test and train samples of a cluster: of each label, ``test_share`` of the trials."""
    held_out = []
    for label in np.unique(y[pool]):
        trials = rng.permutation(np.unique(trial[pool[y[pool] == label]]))
        held_out.append(trials[: max(1, round(test_share * len(trials)))])
    in_test = np.isin(trial[pool], np.concatenate(held_out))
    return pool[in_test], pool[~in_test]
