"""Clients of clusters that are label distributions: they draw from all samples.

Where data drifts (Fed-REACT, arXiv section 4.2), a cluster is one or more label distributions
instead of a pool of samples.
"""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.pools import check_sizes
from fedreact.clients.sampling import draw
from fedreact.errors import UserError


def of_distributions(
    y: np.ndarray,
    cluster_sizes: list[int],
    distributions: np.ndarray,
    rng: np.random.Generator,
    samples_per_client: int = 2400,
    test_share: float = 0.1,
) -> Partition:
    """Draw clients of clusters that are label distributions.

    ``test_share`` of each label's samples is held out from all clients. A client's train
    and test sets follow the mean distribution of its cluster; the encoder is trained on them.

    Parameters
    ----------
    distributions
        ``[C, S, n_labels]``: those of each cluster, in each of its S states.
    """
    check_sizes(cluster_sizes, samples_per_client, test_share)
    n_labels = int(y.max()) + 1
    members = [rng.permutation(np.flatnonzero(y == label)) for label in range(n_labels)]
    for label in np.flatnonzero(distributions.any((0, 1))):
        if len(members[label]) < 2:
            raise UserError(
                f"partition: label {label} has {len(members[label])} of the samples; two are "
                "needed, to train and test"
            )
    # Neither all nor none, whatever the share.
    cuts = [max(1, min(len(m) - 1, round(test_share * len(m)))) for m in members]
    test_pools = [m[:cut] for m, cut in zip(members, cuts)]
    train_pools = [m[cut:] for m, cut in zip(members, cuts)]
    clusters = np.repeat(np.arange(len(cluster_sizes)), cluster_sizes)
    n_test = max(1, min(samples_per_client - 1, round(test_share * samples_per_client)))
    train, test = [], []
    for shares in distributions.mean(1)[clusters]:
        # A client repeats no sample: of a label with too few samples it has fewer than its share.
        train.append(np.unique(draw(train_pools, shares, samples_per_client - n_test, rng)))
        test.append(np.unique(draw(test_pools, shares, n_test, rng)))
    counts = np.zeros((len(cluster_sizes), n_labels), dtype=np.int64)
    for c, *sets in zip(clusters, train, test):
        for samples in sets:
            counts[c] += np.bincount(y[samples], minlength=n_labels)
    held_out = np.sort(np.concatenate(test_pools))
    return Partition(clusters, train, test, counts, distributions, held_out)
