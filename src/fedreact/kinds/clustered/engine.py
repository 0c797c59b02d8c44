"""Phase 2: rounds of local fits, clustering and aggregation (Algorithm 2).

The local fits of a round are shared by all methods that are compared, so methods differ in what
the server does and in nothing else.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
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
        Number of clusters of the method; NaN for methods without one cluster for each client.
    gflops
        Compute of a client in Phase 2 so far: the mean over all clients
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


@dataclass(frozen=True)
class Phase2:
    """Samples, clients and options that all methods of a run share.

    Attributes
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
        Model that clients fit.
    seed
        Seed of the clients' draws.
    samples_per_round
        |M_t^k|: labelled samples that each client draws in each round.
    test_on
        Where data drifts, clients are tested on the label distribution of the ``round``, or on
        that of their cluster in the ``long-run``.
    others
        K sets of samples that clients are tested on besides, by the first metric.
    """

    features: np.ndarray
    y: np.ndarray
    partition: Partition
    schedule: Schedule
    task: LinearTask
    seed: int
    samples_per_round: int = 64
    test_on: str = "round"
    others: list[np.ndarray] | None = None

    def __post_init__(self) -> None:
        if self.samples_per_round < 1:
            raise UserError(f"samples a round is {self.samples_per_round}; it must be at least 1")

    @property
    def shape(self) -> tuple[int, int]:
        """Shape ``(c, D + 1)`` of a task model."""
        return self.task.n_outputs, self.features.shape[1] + 1


def run(
    phase2: Phase2, methods: Mapping[str, Algorithm], metrics: Mapping[str, Metric]
) -> Iterator[RoundScores]:
    """Run all methods side by side, and yield their scores by metric, round by round.

    Raises
    ------
    UserError
        Data drifts that cannot, or a method's models are NaN or infinite.
    """
    task, schedule, K = phase2.task, phase2.schedule, len(phase2.partition.train)
    sample = sampler(phase2.partition, schedule, phase2.y, phase2.samples_per_round, phase2.seed)
    scorer = Scorer(phase2, metrics)
    states = {name: method.init(K, phase2.shape) for name, method in methods.items()}
    seen, multiply_adds = np.zeros(K, dtype=bool), dict.fromkeys(methods, 0.0)
    held: dict[str, np.ndarray] = {}
    for t, present in enumerate(schedule.present, start=1):
        samples, valid = sample(t)
        X, y = phase2.features[samples], phase2.y[samples]
        fitted = task.fit(X, y, valid).reshape(K, -1)
        clients, n_samples = task.clients(X, y, valid), valid.sum(1)
        uploads = Uploads(t, t == schedule.rounds, fitted, n_samples, present, clients)
        seen = seen | present
        scorer.begin(t, seen)
        for name, method in methods.items():
            counted = CountedClients(clients, task, n_samples, present, X.shape[2])
            uploads_of_method = replace(uploads, clients=counted)
            states[name], models, labels = method.round(states[name], uploads_of_method)
            multiply_adds[name] += counted.multiply_adds
            score = scorer.score(name, models, labels, 2 * multiply_adds[name] / 1e9)
            yield scorer.with_newcomers(score, models, held.get(name))
            held[name] = models


class Scorer:
    """Scores of methods in one round after the other."""

    def __init__(self, phase2: Phase2, metrics: Mapping[str, Metric]):
        self.phase2, self.metrics, self.first = phase2, metrics, next(iter(metrics))
        partition = phase2.partition
        self.held_out, self.weights_of = tests(
            phase2.features, phase2.y, partition, phase2.schedule, phase2.test_on
        )
        others = phase2.others
        self.of_others = None if others is None else shares_of(others, tested_on(partition))

    def begin(self, t: int, seen: np.ndarray) -> None:
        """Begin round ``t``, in which clients ``bool [K]`` have been seen so far."""
        newcomers = self.phase2.partition.newcomers
        self.joined = newcomers is not None and bool(seen[newcomers].all())
        if newcomers is not None:
            seen = seen & np.isin(np.arange(len(seen)), newcomers, invert=True)
        self.t, self.seen = t, seen
        self.weights = self.weights_of(t)[seen]
        self.truth = self.phase2.schedule.truth[t - 1]

    def score(
        self, method: str, models: np.ndarray, labels: np.ndarray | None, gflops: float
    ) -> RoundScores:
        """Score a method by its clients' models ``[K, P]`` and clusters ``[K]``.

        Raises
        ------
        UserError
            Models are NaN or infinite.
        """
        seen, known = self.seen, self.phase2.partition.clusters_known
        models = models[seen].reshape(-1, *self.phase2.shape)
        if bad := int((~np.isfinite(models)).any((1, 2)).sum()):
            raise UserError(
                f"method {method}: the models of {bad} of {len(models)} clients are NaN or "
                f"infinite in round {self.t}"
            )
        truth = self.truth[seen]
        groups = Groups(clusters=truth if known else None)
        scores = self._scores(models, self.weights, self.metrics)
        values = {name: self.metrics[name].over(of_all, groups) for name, of_all in scores.items()}
        if self.of_others is not None:
            metric = self.metrics[self.first]
            elsewhere = self._scores(models, self.of_others[seen], {self.first: metric})
            values[f"{self.first}@another_client"] = metric.over(elsewhere[self.first])
        rand = n_clusters = np.nan
        if labels is not None:
            n_clusters = len(np.unique(labels[seen]))
            rand = rand_score(truth, labels[seen]) if known else np.nan
        clients = of_clients(seen, scores[self.first], labels, self.truth if known else None)
        return RoundScores(self.t, method, values, rand, n_clusters, gflops, clients)

    def with_newcomers(
        self, score: RoundScores, models: np.ndarray, before: np.ndarray | None
    ) -> RoundScores:
        """Add the first metric of clients that join late, where there are any.

        They join in the last round. Until then the federation has the mean of the members' models
        for them; nothing where each of these has a model of its own.

        Parameters
        ----------
        models, before
            ``[K, P]``: models that clients hold after this round, and after the round before.
        """
        newcomers, metric = self.phase2.partition.newcomers, self.metrics[self.first]
        if newcomers is None:
            return score
        names = (f"{self.first}@zero_shot", f"{self.first}@adapted")
        if not self.joined:
            return score._replace(values=score.values | dict.fromkeys(names, np.nan))
        weights, first = self.weights_of(self.t)[newcomers], {self.first: metric}

        def of_newcomers(models: np.ndarray) -> np.ndarray:
            shaped = models.reshape(-1, *self.phase2.shape)
            return self._scores(shaped, weights, first)[self.first]

        zero_shot = np.nan
        members = self.phase2.partition.members
        if before is not None and len(np.unique(before[members], axis=0)) < max(2, len(members)):
            mean = np.repeat(before[members].mean(0)[None], len(newcomers), axis=0)
            zero_shot = metric.over(of_newcomers(mean))
        adapted = of_newcomers(models[newcomers])
        clients = score.clients | {"score": score.clients["score"].copy()}
        clients["score"][newcomers] = adapted
        values = score.values | dict(zip(names, (zero_shot, metric.over(adapted))))
        return score._replace(values=values, clients=clients)

    def _scores(
        self, models: np.ndarray, weights: np.ndarray, metrics: Mapping[str, Metric]
    ) -> dict[str, np.ndarray]:
        """Score each seen client by each metric, in the targets' units."""
        task = self.phase2.task
        return self.held_out.scores(models, weights, metrics, task.unit, task.centre)


def of_clients(
    seen: np.ndarray, scores: np.ndarray, labels: np.ndarray | None, truth: np.ndarray | None
) -> dict[str, np.ndarray]:
    """Return scores and clusters ``[K]`` of all clients, given ``scores`` of those seen."""
    score = np.full(len(seen), np.nan, dtype=np.float32)
    score[seen] = scores
    none = np.full(len(seen), -1, dtype=np.int16)
    cluster, true = (
        none if clusters is None else np.where(seen, clusters, -1).astype(np.int16)
        for clusters in (labels, truth)
    )
    return {"score": score, "cluster": cluster, "true_cluster": true}


def sampler(
    partition: Partition, schedule: Schedule, y: np.ndarray, n: int, seed: int
) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    """Return the function of t that draws M_t^k for each client.

    It draws ``n`` samples, or fewer if a client keeps to its own train set and that is smaller. Its
    results are both ``[K, n]``: sample indices, and which of them count.

    Raises
    ------
    UserError
        Data drifts that cannot.
    """
    shares = schedule.shares
    if shares is None:
        return lambda t: labelled_samples(partition.train, n, seed, t)
    if y.dtype.kind not in "iu" or y.ndim != 1:
        raise UserError("drift needs data with one label for each series")
    if not len(partition.held_out):
        raise UserError(
            "drift needs clients that draw from all samples: a partition `by: switching` or "
            "`by: supports`"
        )
    open_to_all = np.setdiff1d(np.arange(len(y)), partition.held_out)
    pools = [open_to_all[y[open_to_all] == label] for label in range(shares.shape[2])]
    drawn = np.flatnonzero(shares.any((0, 1)))
    if nobody := [label for label in drawn if not len(pools[label])]:
        raise UserError(f"partition: of other data, in which no series has label {nobody[0]}")

    def sample(t: int) -> tuple[np.ndarray, np.ndarray]:
        samples = np.stack(
            [
                draw(pools, own, n, generator(seed, "labelled samples", t, k))
                for k, own in enumerate(shares[t - 1])
            ]
        )
        return samples, np.ones(samples.shape, dtype=bool)

    return sample


def labelled_samples(
    train: list[np.ndarray], n: int, seed: int, t: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw M_t^k for each client: ``n`` samples of its train set, or all if it has fewer.

    Returns
    -------
    samples, valid
        ``[K, m]``: sample indices, and which of them count; m is n, or the largest train set. Train
        sets that are taken whole keep their order.
    """
    n = min(n, max(map(len, train)))
    samples = np.zeros((len(train), n), dtype=np.int64)
    valid = np.zeros_like(samples, dtype=bool)
    for k, indices in enumerate(train):
        m = min(n, len(indices))
        rng = generator(seed, "labelled samples", t, k)
        samples[k, :m] = indices if m == len(indices) else rng.choice(indices, m, replace=False)
        valid[k, :m] = True
    return samples, valid


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
    if shares is None:
        raise UserError("this drift has no label distributions of the long run")
    count = np.maximum(np.bincount(y[samples], minlength=shares.shape[2]), 1)
    return HeldOut(features[samples], y[samples]), lambda t: (shares[t - 1] / count)[:, y[samples]]


def tested_on(partition: Partition) -> np.ndarray:
    """Return all test samples of clients that keep to their partition, in order."""
    return np.unique(np.concatenate(partition.test))


def shares_of(tests: list[np.ndarray], samples: np.ndarray) -> np.ndarray:
    """Return weights ``[K, N]`` of samples for K clients, each of whom has some as its tests."""
    return np.stack([np.isin(samples, test) / len(test) for test in tests])
