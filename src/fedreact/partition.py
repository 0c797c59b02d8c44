"""Who holds which samples: clusters, their clients, train and test sets.

Fed-REACT, section 4.1 (ICLR and arXiv), appendices D and G.1 (arXiv): the samples of each label
are distributed over C clusters by a Dirichlet(beta) draw; the clients of a cluster draw 2,400
samples (arXiv 4.1) uniformly from it, with a 90/10 split into train and test.

Where data drifts (arXiv section 4.2), a cluster is one or more label distributions instead, and
its clients draw from all samples. Clusters may also be given labels of a dataset (EEG, arXiv
section 4.1), and clients may be who the series are of (vehicles, ICLR section 4.2).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.drift import disjoint_supports, draw
from fedreact.errors import UserError
from fedreact.rng import generator

SPLITS = ("random", "chronological")
MAX_DRAWS = 1000
NOTHING = np.zeros(0, dtype=np.int64)


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
        ``int64 [C, n_labels]``: samples of each label in each cluster, or in its clients' train
        and test sets where clusters are distributions.
    distributions
        ``[C, S, n_labels]``: label distributions of each cluster, in each of its S states. Empty
        where there are targets instead of labels.
    held_out
        Indices of samples that no client trains on, where clients draw from all samples; else
        empty.
    """

    clusters: np.ndarray
    train: list[np.ndarray]
    test: list[np.ndarray]
    label_counts: np.ndarray
    distributions: np.ndarray
    held_out: np.ndarray

    def __post_init__(self):
        K = len(self.clusters)
        if self.clusters.dtype.kind not in "iu" or self.clusters.ndim != 1 or K == 0:
            raise UserError("partition: clusters must be integers [K], of one or more clients")
        for name in ("train", "test"):
            sets = getattr(self, name)
            if len(sets) != K or any(s.dtype.kind not in "iu" or s.ndim != 1 for s in sets):
                raise UserError(f"partition: {name} must be indices for each of {K} clients")
        for k, sets in enumerate(zip(self.train, self.test)):
            for name, samples in zip(("train", "test"), sets):
                if len(samples) == 0:
                    raise UserError(
                        f"partition: client {k} (cluster {self.clusters[k] + 1}) has no {name} "
                        "samples; use more data, fewer clusters or another test share"
                    )
        if self.distributions.ndim != 3 or not np.isfinite(self.distributions).all():
            raise UserError("partition: distributions must be numbers [C, S, labels]")

    @property
    def clusters_known(self) -> bool:
        """Whether ``clusters`` are the truth, not the one cluster of clients without any."""
        return self.label_counts.size > 0

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
            distributions=self.distributions,
            held_out=self.held_out,
        )

    @classmethod
    def load(cls, path: Path, n_samples: int | None = None) -> "Partition":
        """Read what :meth:`save` wrote; a damaged file raises :class:`UserError`.

        So does one of other data than that with ``n_samples``.
        """
        names = ["clusters", "train", "test", "n_train", "n_test"]
        rest = ["label_counts", "distributions", "held_out"]
        f = npz.load(path, "partition", names + rest)
        sets = []
        for name in ("train", "test"):
            indices, n = f[name], f[f"n_{name}"]
            if n.dtype.kind not in "iu" or n.ndim != 1 or (n < 1).any() or n.sum() != indices.size:
                raise UserError(f"{path}: not a partition, n_{name} does not count {name}")
            sets.append(np.split(indices, np.cumsum(n)[:-1]))
        try:
            drawn = cls(f["clusters"], *sets, *(f[name] for name in rest))
        except UserError as error:
            raise UserError(f"{error} [in {path}]") from error
        used = np.concatenate([f["train"], f["test"], f["held_out"]])
        if used.min() < 0 or used.max() >= (n_samples or np.inf):
            raise UserError(f"{path}: of other data, it uses more than the {n_samples} samples")
        return drawn


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
    _check(cluster_sizes, samples_per_client, test_share)
    rng = generator(seed, "partition")
    pools = dirichlet_clusters(y, len(cluster_sizes), beta, rng, max(2, min_samples))
    return _of_pools(y, pools, cluster_sizes, rng, samples_per_client, test_share)


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

    Other parameters are those of :func:`partition`.
    """
    _check(cluster_sizes, samples_per_client, test_share)
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
    return _of_pools(y, pools, cluster_sizes, rng, samples_per_client, test_share, trial)


def _check(cluster_sizes, samples_per_client, test_share):
    """Sizes that no data could have."""
    if not cluster_sizes or min(cluster_sizes) < 1:
        raise UserError(f"partition: cluster sizes {cluster_sizes} must be 1 or more each")
    if samples_per_client < 2:
        raise UserError(
            f"partition: {samples_per_client} samples a client; two are needed, to train and test"
        )
    if not 0 < test_share < 1:
        raise UserError(f"partition: the share to test on is {test_share}; it must lie in (0, 1)")


def _of_pools(y, pools, cluster_sizes, rng, samples_per_client, test_share, trial=None):
    """Clients that draw from the samples of their clusters; trials are not split."""
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


def partition_by_subject(
    subject: np.ndarray,
    seed: int,
    split: str = "random",
    test_share: float = 0.1,
    gap: int = 0,
    trial: np.ndarray | None = None,
) -> Partition:
    """Make a client of each subject, e.g. vehicle; no clusters are known (ICLR, section 4.2).

    Parameters
    ----------
    subject
        ``int [N]``; the series of a subject are in the order of time.
    split
        ``random``: a share of each client's series is its test set (the paper's 90/10 split).
        ``chronological``: the last ones are.
    gap
        Of the ``chronological`` split: series before the test set that are left out, as many as
        overlap with it in time; or trials, where series belong to some.
    trial
        ``int [N]``: series of a trial stay together. ``None``: each is a trial of its own.
    """
    if split not in SPLITS:
        raise UserError(f"partition: split {split!r} is unknown; known: {', '.join(SPLITS)}")
    _check([1], 2, test_share)
    if gap < 0:
        raise UserError(f"partition: gap is {gap}; it must be 0 or more")
    rng, train, test = generator(seed, "partition"), [], []
    for who in np.unique(subject):
        mine = np.flatnonzero(subject == who)
        units = mine if trial is None else _in_order(trial[mine])
        n_test = max(1, round(test_share * len(units)))
        if split == "random":
            units = rng.permutation(units)
        left_out = gap if split == "chronological" else 0
        if len(units) < n_test + left_out + 2:
            what = "series" if trial is None else "trials"
            raise UserError(
                f"partition: subject {who} has {len(units)} {what}, too few for {n_test} to test "
                f"and {left_out} to leave out"
            )
        parts = units[: len(units) - n_test - left_out], units[len(units) - n_test :]
        for kept, part in zip((train, test), parts):
            kept.append(np.sort(part) if trial is None else mine[np.isin(trial[mine], part)])
    clusters = np.zeros(len(train), dtype=np.int64)
    counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
    return Partition(clusters, train, test, counts, distributions, NOTHING)


def _in_order(trial):
    """Distinct trials in the order in which they come first."""
    _, first = np.unique(trial, return_index=True)
    return trial[np.sort(first)]


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


def drifting_partition(
    y: np.ndarray,
    cluster_sizes: list[int],
    seed: int,
    beta: float | None = None,
    supports: list[int] | None = None,
    samples_per_client: int = 2400,
    test_share: float = 0.1,
) -> Partition:
    """Draw clients of clusters that are label distributions.

    Of each label, ``test_share`` of the samples are held out from all clients. A client's train
    and test sets follow the mean distribution of its cluster; the encoder is trained on them.

    Parameters
    ----------
    beta
        Clusters with two states, from two Dirichlet draws (Strategy 1).
    supports
        Clusters with so many labels each, of their own (Strategies 2 and 3).
    """
    _check(cluster_sizes, samples_per_client, test_share)
    n_labels = int(y.max()) + 1
    if supports is None:
        distributions = switching_clusters(y, len(cluster_sizes), beta, seed)
    elif len(supports) != len(cluster_sizes) or sum(supports) != n_labels or min(supports) < 1:
        raise UserError(
            f"partition: supports {supports} must give {len(cluster_sizes)} clusters "
            f"{n_labels} labels in all"
        )
    else:
        distributions = disjoint_supports(supports, generator(seed, "supports"))
    rng = generator(seed, "partition")
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
    n_test = max(1, round(test_share * samples_per_client))
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
