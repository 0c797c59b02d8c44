"""Fed-REACT's Phase 2 on the server: Algorithms 2 and 3, and their mixtures."""

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.clusters import match_labels, round_models, unchanged
from fedreact.aggregation.temporal import Aggregation, memory_named
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import Linkage, agglomerative, cosine_similarity
from fedreact.kinds.clustered.contract import LocalWork, Setting, Uploads
from fedreact.options import Count, Natural, Positive


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
        now = cluster_clients(  # line 7
            before,
            uploads,
            evolutionary=self.evolutionary,
            n_clusters=s.n_clusters,
            linkage=s.linkage,
            iterations=s.iterations,
            start=s.start,
            first_alpha=s.first_alpha,
        )
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

    def _aggregation(self) -> Aggregation:
        """Return the approach to means over the rounds (section 2)."""
        if self.memory != "a3":
            return memory_named(self.memory)
        return memory_named(
            "a3", r=self.r, q=self.q, p0=self.p0, learn=self.learn, iterations=self.iterations
        )


# Methods that differ in their aggregation alone pass the very same objects, and share the result.
@lru_cache(maxsize=4)
def cluster_clients(
    before: Clusters | None,
    uploads: Uploads,
    evolutionary: bool,
    n_clusters: int,
    linkage: Linkage,
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
        psi, alpha, of_seen = None, 0.0, cluster(W)
    else:
        if before is None or before.psi is None:
            alpha, past = 0.0, W if start == "first" else np.zeros_like(W)
        else:
            alpha, past = before.alpha if first_alpha == "before" else 0.0, before.psi
            if len(past) < len(W):
                known = before.seen[seen]
                past = W.copy()
                past[np.ix_(known, known)] = before.psi
        psi, alpha, of_seen = affect(W, past, cluster, alpha, iterations)
    labels = np.full(len(seen), -1)
    labels[seen] = of_seen
    labels = match_labels(labels, None if before is None else before.labels)
    return Clusters(saved, seen, psi, alpha, labels)


ALGORITHM = FedReact
