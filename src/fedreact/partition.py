"""Who holds which samples: Dirichlet clusters, their clients, train and test sets.

Fed-REACT, section 4.1 (ICLR and arXiv), appendices D and G.1 (arXiv): the samples of each label
are distributed over C clusters by a Dirichlet(beta) draw; the clients of a cluster draw 2,400
samples (arXiv 4.1) uniformly from it, with a 90/10 split into train and test.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.errors import UserError
from fedreact.rng import generator

MAX_DRAWS = 1000


@dataclass(frozen=True)
class Partition:
    """The samples of each client.

    Attributes
    ----------
    clusters
        ``int64 [K]``: the true cluster of each client.
    train, test
        K arrays each: indices of samples in the dataset. No sample is in the train set of one
        client and the test set of another (or the same) client of its cluster.
    label_counts
        ``int64 [C, n_labels]``: samples of each label in each cluster.
    """

    clusters: np.ndarray
    train: list[np.ndarray]
    test: list[np.ndarray]
    label_counts: np.ndarray

    def save(self, path: Path) -> None:
        """Write the partition as npz; the same content gives the same bytes."""
        npz.save(
            path,
            clusters=self.clusters,
            train=np.concatenate(self.train),
            test=np.concatenate(self.test),
            n_train=np.array([len(s) for s in self.train]),
            n_test=np.array([len(s) for s in self.test]),
            label_counts=self.label_counts,
        )

    @classmethod
    def load(cls, path: Path) -> "Partition":
        """Read what :meth:`save` wrote; a damaged file raises :class:`UserError`."""
        names = ["clusters", "train", "test", "n_train", "n_test", "label_counts"]
        f = npz.load(path, "partition", names)
        train = np.split(f["train"], np.cumsum(f["n_train"])[:-1])
        test = np.split(f["test"], np.cumsum(f["n_test"])[:-1])
        return cls(f["clusters"], train, test, f["label_counts"])


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
        Share of the test set. The cluster's pool is split once and each client draws both parts,
        which keeps test samples out of every train set of the cluster.
    min_samples
        Smallest cluster that is accepted, at least 2: one sample to train on, one to test.
    """
    rng = generator(seed, "partition")
    pools = dirichlet_clusters(y, len(cluster_sizes), beta, rng, max(2, min_samples))
    n_labels = int(y.max()) + 1
    clusters, train, test = [], [], []
    for c, (pool, size) in enumerate(zip(pools, cluster_sizes)):
        pool = rng.permutation(pool)
        n_test = max(1, round(test_share * len(pool)))
        wanted_test = max(1, round(test_share * samples_per_client))
        for _ in range(size):
            clusters.append(c)
            for part, samples, wanted in (
                (test, pool[:n_test], wanted_test),
                (train, pool[n_test:], samples_per_client - wanted_test),
            ):
                part.append(np.sort(rng.permutation(samples)[:wanted]))
    counts = np.stack([np.bincount(y[pool], minlength=n_labels) for pool in pools])
    return Partition(np.array(clusters), train, test, counts)
