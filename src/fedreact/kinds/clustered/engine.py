"""Phase 2: rounds of local fits, clustering and aggregation (Algorithm 2).

The local fits of a round are shared by all methods that are compared, so methods differ in what
the server does and in nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fedreact.clients.drifts.schedule import Schedule
from fedreact.clients.partition import Partition
from fedreact.clients.sampling import draw
from fedreact.errors import UserError
from fedreact.kinds.clustered.contract import Algorithm, Uploads
from fedreact.kinds.clustered.scoring import HeldOut, rand_score
from fedreact.kinds.clustered.tasks import LinearTask
from fedreact.kinds.clustered.work import CountedClients
from fedreact.metrics.contract import Groups, Metric
from fedreact.rng import generator


class RoundScores(NamedTuple):
    """Scores of one method in one round, over the clients that have taken part so far.

    Attributes
    ----------
    values
        Mean over clients, by metric.
    rand
        Rand score of the clusters; NaN for methods without one cluster for each client, and where
        the true clusters are not known.
    n_clusters
        Clusters that the method has found; NaN for methods without one cluster for each client.
    gflops
        What a client has computed in Phase 2 so far: the mean over all clients
        (:mod:`fedreact.kinds.clustered.work`).
    clients
        Arrays ``[K]`` of the clients: ``score`` by the first metric, ``cluster`` and
        ``true_cluster`` in this round (see :class:`fedreact.kinds.contract.Line`).
    """

    t: int
    method: str
    values: dict[str, float]
    rand: float
    n_clusters: float
    gflops: float
    clients: dict[str, np.ndarray]


def run(
    features: np.ndarray,
    y: np.ndarray,
    partition: Partition,
    schedule: Schedule,
    methods: Mapping[str, Algorithm],
    task: LinearTask,
    seed: int,
    metrics: Mapping[str, Metric],
    samples_per_round: int = 64,
    test_on: str = "round",
    others: list[np.ndarray] | None = None,
) -> Iterator[RoundScores]:
    """Run all methods side by side; yields their scores round by round.

    Parameters
    ----------
    features
        ``float32 [N, D]`` features of all samples under the frozen encoder.
    y
        ``[N]`` or ``[N, M]``: labels or targets.
    partition
        The clients' samples.
    schedule
        Participants of each round, and the distributions of their data.
    task
        What clients fit.
    metrics
        How that is scored, by name.
    samples_per_round
        |M_t^k|: labelled samples that each client draws in each round.
    test_on
        Where data drifts, clients are tested on the label distribution of the ``round``, or on
        that of their cluster in the ``long-run``.
    others
        K sets of samples that clients are tested on besides, by the first metric.
    """
    if samples_per_round < 1:
        raise UserError(f"samples a round is {samples_per_round}; it must be at least 1")
    K, shape = len(partition.train), (task.n_outputs, features.shape[1] + 1)
    sample = sampler(partition, schedule, y, samples_per_round, seed)
    held_out, weights_of = tests(features, y, partition, schedule, test_on)
    states = {name: method.init(K, shape) for name, method in methods.items()}
    first = next(iter(metrics))
    of_others = None if others is None else shares_of(others, tested_on(partition))
    seen, multiply_adds = np.zeros(K, dtype=bool), dict.fromkeys(methods, 0.0)
    for t, (truth, present) in enumerate(zip(schedule.truth, schedule.present), start=1):
        at, valid = sample(t)
        X, targets = features[at], y[at]
        fitted = task.fit(X, targets, valid).reshape(K, -1)
        clients, n_samples = task.clients(X, targets, valid), valid.sum(1)
        uploads = Uploads(t, t == schedule.rounds, fitted, n_samples, present, clients)
        seen = seen | present
        weights, clusters = weights_of(t)[seen], truth[seen]
        for name, method in methods.items():
            counted = CountedClients(clients, task, n_samples, present, X.shape[2])
            states[name], held, found = method.round(
                states[name], replace(uploads, clients=counted)
            )
            multiply_adds[name] += counted.multiply_adds
            models = held[seen].reshape(-1, *shape)
            if bad := int((~np.isfinite(models)).any((1, 2)).sum()):
                raise UserError(
                    f"method {name}: the models of {bad} of {len(models)} clients are NaN or "
                    f"infinite in round {t}"
                )
            scores = held_out.scores(models, weights, metrics, task.unit, task.centre)
            known_clusters = partition.clusters_known
            known = found is not None and known_clusters
            rand = rand_score(clusters, found[seen]) if known else np.nan
            groups = Groups(clusters=clusters if known_clusters else None)
            means = {name: metrics[name].over(of, groups) for name, of in scores.items()}
            if others is not None:
                elsewhere = held_out.scores(
                    models, of_others[seen], {first: metrics[first]}, task.unit, task.centre
                )
                means[f"{first}@another_client"] = metrics[first].over(elsewhere[first])
            n_clusters = np.nan if found is None else len(np.unique(found[seen]))
            true = truth if known_clusters else None
            kept = of_clients(seen, scores[first], found, true)
            shown = float(rand), n_clusters, 2 * multiply_adds[name] / 1e9
            yield RoundScores(t, name, means, *shown, kept)


def of_clients(
    seen: np.ndarray, scores: np.ndarray, found: np.ndarray | None, truth: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Scores and clusters ``[K]`` of all clients, of which some have been seen."""
    score = np.full(len(seen), np.nan, dtype=np.float32)
    score[seen] = scores
    none = np.full(len(seen), -1, dtype=np.int16)
    cluster, true = (
        none if of is None else np.where(seen, of, -1).astype(np.int16) for of in (found, truth)
    )
    return {"score": score, "cluster": cluster, "true_cluster": true}


def sampler(
    partition: Partition, schedule: Schedule, y: np.ndarray, n: int, seed: int
) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """Return the function of t that draws M_t^k for each client.

    ``n`` samples, or fewer where a client keeps to its own train set and that has fewer. It gives
    ``at, valid``, both ``[K, n]``: sample indices, and which of them count.

    Raises
    ------
    UserError
        Data drifts that cannot.
    """
    if schedule.shares is None:
        return lambda t: labelled_samples(partition.train, n, seed, t)
    if y.dtype.kind not in "iu" or y.ndim != 1:
        raise UserError("drift needs data with one label for each series")
    if not len(partition.held_out):
        raise UserError(
            "drift needs clients that draw from all samples: a partition `by: switching` or "
            "`by: supports`"
        )
    open_to_all = np.setdiff1d(np.arange(len(y)), partition.held_out)
    pools = [open_to_all[y[open_to_all] == label] for label in range(schedule.shares.shape[2])]
    wanted = np.flatnonzero(schedule.shares.any((0, 1)))
    if nobody := [label for label in wanted if not len(pools[label])]:
        raise UserError(f"partition: of other data, in which no series has label {nobody[0]}")

    def sample(t):
        at = np.stack(
            [
                draw(pools, shares, n, generator(seed, "labelled samples", t, k))
                for k, shares in enumerate(schedule.shares[t - 1])
            ]
        )
        return at, np.ones(at.shape, dtype=bool)

    return sample


def labelled_samples(
    train: list[np.ndarray], n: int, seed: int, t: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw M_t^k for each client: ``n`` samples of its train set, or all if it has fewer.

    Returns
    -------
    at, valid
        ``[K, m]``: sample indices, and which of them count; m is n, or the largest train set. Train
        sets that are taken whole keep their order.
    """
    n = min(n, max(map(len, train)))
    at = np.zeros((len(train), n), dtype=np.int64)
    valid = np.zeros_like(at, dtype=bool)
    for k, indices in enumerate(train):
        m = min(n, len(indices))
        rng = generator(seed, "labelled samples", t, k)
        at[k, :m] = indices if m == len(indices) else rng.choice(indices, m, replace=False)
        valid[k, :m] = True
    return at, valid


def tests(
    features: np.ndarray, y: np.ndarray, partition: Partition, schedule: Schedule, test_on: str
) -> tuple[HeldOut, Callable[[int], np.ndarray]]:
    """Return the test samples, and their weights ``[K, N]`` for each client as a function of t.

    Clients that keep to their partition are tested on their own test sets. Where data drifts, all
    held-out samples are used, weighted so that their labels have the client's distribution: the
    expected accuracy on a test set drawn for the round.
    """
    if schedule.shares is None:
        samples = tested_on(partition)
        own = shares_of(partition.test, samples)
        return HeldOut(features[samples], y[samples]), lambda t: own
    samples = partition.held_out if partition.tested is None else partition.tested
    shares = schedule.shares if test_on == "round" else schedule.long_run
    count = np.maximum(np.bincount(y[samples], minlength=shares.shape[2]), 1)
    return HeldOut(features[samples], y[samples]), lambda t: (shares[t - 1] / count)[:, y[samples]]


def tested_on(partition: Partition) -> np.ndarray:
    """All test samples of clients that keep to their partition, in order."""
    return np.unique(np.concatenate(partition.test))


def shares_of(tests: list[np.ndarray], samples: np.ndarray) -> np.ndarray:
    """Weights ``[K, N]`` of samples for clients that have these tests each."""
    return np.stack([np.isin(samples, test) / len(test) for test in tests])
