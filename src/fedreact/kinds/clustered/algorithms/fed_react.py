"""Fed-REACT's Phase 2 on the server: Algorithms 2 and 3, and their mixtures."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import match_labels, round_models, unchanged
from fedreact.aggregation.temporal import memory_named
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity
from fedreact.kinds.clustered.contract import LocalWork, Setting, Uploads
from fedreact.options import Count, Natural, Positive


@dataclass(frozen=True, eq=False)
class Clusters:
    """The clients' clusters after a round, and what finding the next ones needs.

    Attributes
    ----------
    saved
        ``[K, P]`` the last task model of each client.
    seen
        ``bool [K]``: who has ever taken part; only they are clustered.
    psi, alpha
        Smoothed similarities of those seen, forgetting factor (evolutionary clustering).
    labels
        ``int [K]``; -1 for those never seen.
    """

    saved: np.ndarray
    seen: np.ndarray
    psi: np.ndarray | None
    alpha: float
    labels: np.ndarray


class ServerState(NamedTuple):
    """What the server remembers between rounds (``None`` before round 1)."""

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
    memory
        Means over the rounds: ``a1``, ``a2``, ``a3``, or ``none``: memoryless (MMA).
    local
        What a client does in a round: an exact ``fit`` (Algorithm 2, line 4), or, in no paper,
        ``descent`` from the model that it holds, as the clients of IFCA, FLSC and FLACC do. In its
        first round a client descends from zero.
    learning_rate, steps
        Rate and steps of a descent; see :meth:`fedreact.task_models.descent.LocalClients.train`.
    r, q, p0, learn, iterations
        Options of A3 (:class:`fedreact.aggregation.kalman.KalmanSmoothing`).
    """

    setting: Setting
    evolutionary: bool = True
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
        """Nothing is known before round 1."""
        return ServerState()

    def round(
        self, state: ServerState, uploads: Uploads
    ) -> tuple[ServerState, np.ndarray, np.ndarray]:
        """Algorithm 2, lines 7-14 (Algorithm 3, lines 6-10, where nothing is remembered)."""
        s, before = self.setting, state.clusters
        if self.local == "descent":
            start = np.zeros_like(uploads.models)
            if before is not None:
                start = np.where(before.seen[:, None], state.held, start)
            models = uploads.after(start, self.local, self.learning_rate, self.steps)
            uploads = replace(uploads, models=models)
        how = (self.evolutionary, s.n_clusters, s.linkage, s.iterations, s.start, s.first_alpha)
        now = cluster_clients(before, uploads, *how)  # line 7
        labels = now.labels
        sent = (uploads.models, uploads.n_samples, uploads.present)
        models, observed = round_models(*sent, now.saved, labels, s.n_clusters)  # line 9

        if s.identity == "client":
            models, observed = models[labels], observed[labels] & now.seen
        memory, held = self._aggregate(state.memory, models, now.alpha, observed)  # line 11
        if s.identity == "cluster":
            held = held[labels]
        if self.memory != "none" and s.send == "unchanged" and not uploads.last:
            # Line 10. In its first round a client has its own model and nothing else.
            had = now.saved
            if before is not None and s.unsent == "kept":
                had = np.where(before.seen[:, None], state.held, had)
            gets = unchanged(labels, None if before is None else before.labels)
            held = np.where(gets[:, None], held, had)
        return ServerState(now, memory, held), held, labels

    def _aggregate(self, *of_round):
        names = ("r", "q", "p0", "learn", "iterations") if self.memory == "a3" else ()
        return memory_named(self.memory, **{n: getattr(self, n) for n in names})(*of_round)


# Methods that differ in their aggregation alone pass the very same objects, and share the result.
@lru_cache(maxsize=4)
def cluster_clients(
    before: Clusters | None,
    uploads: Uploads,
    evolutionary: bool,
    n_clusters: int,
    linkage: str,
    iterations: int,
    start: str,
    first_alpha: str,
) -> Clusters:
    """Cluster by this round's task models, or the last saved ones of the absent (appendix F).

    A client is clustered from the round on in which it first takes part; its smoothed similarities
    start with those of that round.
    """
    present = uploads.present
    seen = present if before is None else before.seen | present
    saved = uploads.models
    if before is not None and not present.all():
        saved = np.where(present[:, None], saved, before.saved)
    W = cosine_similarity(saved[seen])
    cluster = partial(agglomerative, n_clusters=n_clusters, linkage=linkage)
    if not evolutionary:
        psi, alpha, found = None, 0.0, cluster(W)
    else:
        if before is None:
            alpha, past = 0.0, W if start == "first" else np.zeros_like(W)
        else:
            alpha, past = before.alpha if first_alpha == "before" else 0.0, before.psi
            if len(past) < len(W):
                known = before.seen[seen]
                past = W.copy()
                past[np.ix_(known, known)] = before.psi
        psi, alpha, found = affect(W, past, cluster, alpha, iterations)
    labels = np.full(len(seen), -1)
    labels[seen] = found
    labels = match_labels(labels, None if before is None else before.labels)
    return Clusters(saved, seen, psi, alpha, labels)


ALGORITHM = FedReact
