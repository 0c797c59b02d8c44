"""Fed-REACT's Phase 2 on the server: Algorithms 2 and 3, and their mixtures."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import match_labels, round_models, unchanged
from fedreact.aggregation.temporal import Aggregation, memory_named
from fedreact.clustering.affect import Cluster, affect
from fedreact.clustering.hierarchical import Linkage, agglomerative, cosine_similarity
from fedreact.clustering.landmarks import affect_by_landmarks, nearest, similarity_to
from fedreact.kinds.clustered.contract import LocalWork, Setting, Uploads
from fedreact.options import Count, Natural, Positive
from fedreact.rng import generator

Evolve = Callable[..., tuple[np.ndarray, float, np.ndarray]]
"""AFFECT: maps similarities, and smoothed ones of the round before, to what it returns."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clients' clusters after a round, and the inputs of the next clustering.

    Attributes
    ----------
    saved
        ``[K, P]`` the last task model of each client.
    seen
        ``bool [K]``: clients that have ever taken part; only they are clustered.
    psi, alpha
        Smoothed similarities of those seen, to each other or to landmarks, and the forgetting
        factor (evolutionary clustering).
    labels
        ``int [K]``; -1 for those never seen.
    landmarks
        ``int [m]``: clients to which similarities are computed; ``None``: to all.
    """

    saved: np.ndarray
    seen: np.ndarray
    psi: np.ndarray | None
    alpha: float
    labels: np.ndarray
    landmarks: np.ndarray | None = None


@dataclass(frozen=True)
class Clustering:
    """Options of a clustering; those of :class:`Setting` and :class:`FedReact`.

    Attributes
    ----------
    landmarks
        Number of landmarks; ``None``: clients are compared with all.
    """

    evolutionary: bool
    n_clusters: int
    linkage: Linkage
    iterations: int
    start: str
    first_alpha: str
    landmarks: int | None
    seed: int

    def drawn(self, present: np.ndarray) -> np.ndarray | None:
        """Draw the landmarks of the clients ``bool [K]`` of the first round, if there are any."""
        if self.landmarks is None or self.landmarks >= len(present):
            return None
        clients = generator(self.seed, "landmarks").permutation(np.flatnonzero(present))
        return np.sort(clients[: self.landmarks])


class ServerState(NamedTuple):
    """Memory of the server between rounds (``None`` before round 1)."""

    clusters: Clusters | None = None
    memory: Any = None
    held: np.ndarray | None = None


@dataclass(frozen=True)
class FedReact:
    """Clustering by task models, and means within the clusters and over the rounds.

    Attributes
    ----------
    evolutionary
        Cluster by AFFECT (EC, Algorithm 2), or by the round alone (SC, Algorithm 3).
    similarity
        Clients by similarities to ``all``, or to ``landmarks``, in no paper: some of the clients of
        the first round, drawn at random (:mod:`fedreact.clustering.landmarks`).
    landmarks
        Their number; fewer clients are compared with all.
    memory
        Means over the rounds: ``a1``, ``a2``, ``a3``, or ``none``: memoryless (MMA).
    local
        What a client does in a round: an exact ``fit`` (Algorithm 2, line 4), or, in no paper,
        ``descent`` from the model that it holds, as the clients of IFCA, FLSC and FLACC do. In its
        first round a client descends from zero.
    learning_rate, steps
        Step size and steps of a descent; the size is a multiple of 1/L_k, the inverse of the
        largest curvature of the client's loss (:mod:`fedreact.task_models.descent`).
    r, q, p0, learn, iterations
        Options of A3 (:class:`fedreact.aggregation.kalman.KalmanSmoothing`).
    """

    setting: Setting
    evolutionary: bool = True
    similarity: Literal["all", "landmarks"] = "all"
    landmarks: Count = 200
    memory: Literal["a1", "a2", "a3", "none"] = "a1"
    local: LocalWork = "fit"
    learning_rate: Positive = 0.3
    steps: Count = 100
    r: Positive = 1.0
    q: Positive = 0.1
    p0: Positive = 1.0
    learn: Literal["none", "qr", "fqr"] = "qr"
    iterations: Natural = 10

    def init(self, n_clients: int, shape: tuple[int, int]) -> ServerState:
        """Make the state before round 1: empty, but for the zeros that clients descend from."""
        P = shape[0] * shape[1]
        zeros = np.zeros((n_clients, P), np.float32) if self.local == "descent" else None
        return ServerState(held=zeros)

    def round(
        self, state: ServerState, uploads: Uploads
    ) -> tuple[ServerState, np.ndarray, np.ndarray]:
        """Take lines 7-14 of Algorithm 2 (lines 6-10 of Algorithm 3, if nothing is remembered)."""
        s, before = self.setting, state.clusters
        if self.local == "descent" and state.held is not None:
            start = state.held
            if before is not None:
                start = np.where(before.seen[:, None], start, np.zeros_like(start))
            models = uploads.after(start, self.local, self.learning_rate, self.steps)
            uploads = replace(uploads, models=models)
        now = cluster_clients(before, uploads, self._clustering())  # line 7
        labels = now.labels
        models, observed = round_models(  # line 9
            uploads.models, uploads.n_samples, uploads.present, now.saved, labels, s.n_clusters
        )
        if s.identity == "client":
            models, observed = models[labels], observed[labels] & now.seen
        memory, held = self._aggregation()(state.memory, models, now.alpha, observed)  # line 11
        if s.identity == "cluster":
            held = held[labels]
        if self.memory != "none" and s.send == "unchanged" and not uploads.last:
            # Line 10. In its first round a client has its own model and nothing else.
            own = now.saved
            if before is not None and state.held is not None and s.unsent == "kept":
                own = np.where(before.seen[:, None], state.held, own)
            receives = unchanged(labels, None if before is None else before.labels)
            held = np.where(receives[:, None], held, own)
        return ServerState(now, memory, held), held, labels

    def _clustering(self) -> Clustering:
        """Return what the clusters depend on, which methods with other memories share."""
        s = self.setting
        return Clustering(
            self.evolutionary,
            s.n_clusters,
            s.linkage,
            s.iterations,
            s.start,
            s.first_alpha,
            None if self.similarity == "all" else self.landmarks,
            s.seed,
        )

    def _aggregation(self) -> Aggregation:
        """Return the approach to means over the rounds (section 2)."""
        if self.memory != "a3":
            return memory_named(self.memory)
        return memory_named(
            "a3", r=self.r, q=self.q, p0=self.p0, learn=self.learn, iterations=self.iterations
        )


# Methods that differ in their aggregation alone pass the very same objects, and share the result.
@lru_cache(maxsize=4)
def cluster_clients(before: Clusters | None, uploads: Uploads, how: Clustering) -> Clusters:
    """Cluster by this round's task models, or the last saved ones of the absent (appendix F).

    A client is clustered from the round on in which it first takes part; its smoothed similarities
    start with those of that round.
    """
    present = uploads.present
    seen = present if before is None else before.seen | present
    saved = uploads.models
    if before is not None and not present.all():
        saved = np.where(present[:, None], saved, before.saved)
    landmarks = how.drawn(present) if before is None else before.landmarks
    W, static, evolve = similarities(saved, seen, landmarks, how)
    if not how.evolutionary:
        psi, alpha, of_seen = None, 0.0, static(W)
    else:
        if before is None or before.psi is None:
            alpha, past = 0.0, W if how.start == "first" else np.zeros_like(W)
        else:
            alpha, past = before.alpha if how.first_alpha == "before" else 0.0, before.psi
            if len(past) < len(W):
                known = before.seen[seen]
                past = W.copy()
                past[np.ix_(known, known) if landmarks is None else known] = before.psi
        psi, alpha, of_seen = evolve(W, past, alpha=alpha, iterations=how.iterations)
    labels = np.full(len(seen), -1)
    labels[seen] = of_seen
    labels = match_labels(labels, None if before is None else before.labels)
    return Clusters(saved, seen, psi, alpha, labels, landmarks)


def similarities(
    saved: np.ndarray, seen: np.ndarray, landmarks: np.ndarray | None, how: Clustering
) -> tuple[np.ndarray, Cluster, Evolve]:
    """Return the similarities of clients seen, and what clusters them: by these alone, and AFFECT.

    Without landmarks they are ``[K, K]``, else ``[K, m]``.
    """
    cluster = partial(agglomerative, n_clusters=how.n_clusters, linkage=how.linkage)
    if landmarks is None:
        return cosine_similarity(saved[seen]), cluster, partial(affect, cluster=cluster)
    places = np.searchsorted(np.flatnonzero(seen), landmarks)
    return (
        similarity_to(saved[seen], places),
        lambda S: nearest(S, places, cluster(S[places])),
        partial(affect_by_landmarks, landmarks=places, cluster=cluster),
    )


ALGORITHM = FedReact
