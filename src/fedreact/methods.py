"""The clustered-FL methods of Phase 2, and the contract that each of them keeps.

A method is one small object: ``init(K)`` gives its state before round 1, ``round(state, uploads)``
gives the state after the round, the task model that each client holds, and the clusters. To add a
method, write such an object and enter it in :data:`METHODS`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.optimize import linear_sum_assignment

from fedreact.aggregation import (
    Aggregation,
    cluster_means,
    forgetting,
    memoryless,
    running_mean,
)
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity


class Uploads(NamedTuple):
    """What the server receives in one round.

    Attributes
    ----------
    t
        The round, from 1.
    last
        Whether it is the last one.
    models
        ``[K, P]`` task models, fitted on the clients' samples of this round.
    n_samples
        ``[K]`` samples each was fitted on.
    """

    t: int
    last: bool
    models: np.ndarray
    n_samples: np.ndarray


class Method(Protocol):
    """The contract of a clustered-FL method."""

    def init(self, n_clients: int) -> Any:
        """State before round 1."""

    def round(self, state: Any, uploads: Uploads) -> tuple[Any, np.ndarray, np.ndarray]:
        """State after the round, models that the clients hold ``[K, P]``, labels ``[K]``.

        The state is not changed in place.
        """


@dataclass(frozen=True)
class Phase2Setting:
    """What the methods of one run have in common; see ``config/assumptions.yaml`` for the choices.

    Attributes
    ----------
    n_clusters
        C, taken as known (arXiv, appendix E).
    linkage
        Of the agglomerative clustering; see :func:`fedreact.clustering.hierarchical.agglomerative`.
    iterations
        Of AFFECT in each round (appendix C: 5).
    start
        The smoothed similarities before round 1: ``zeros`` (section 2: W_0 = 0) or ``first``
        (those of round 1).
    send
        When clients are sent an estimate with memory: ``unchanged`` (Algorithm 2, line 10: if the
        cluster has the members that it had in the round before, or in the last round) or
        ``always``.
    unsent
        What a client that is sent nothing uses: the last model that it had (``kept``) or the one
        that it fitted in this round (``own``).
    identity
        Whose memory is carried on: ``cluster`` (clusters are matched over the rounds by the
        overlap of their members) or ``client`` (each client remembers the cluster models it met).
    """

    n_clusters: int
    linkage: str = "ward"
    iterations: int = 5
    start: str = "zeros"
    send: str = "unchanged"
    unsent: str = "kept"
    identity: str = "cluster"


class ServerState(NamedTuple):
    """What the server remembers between rounds (``None`` before round 1)."""

    psi: np.ndarray | None = None
    alpha: float = 0.0
    labels: np.ndarray | None = None
    estimate: np.ndarray | None = None
    held: np.ndarray | None = None


@dataclass(frozen=True)
class ServerClustering:
    """Clustering by task models on the server: Fed-REACT Algorithms 2 and 3 and their mixtures.

    ``evolutionary`` clusters by AFFECT (EC) instead of by the round alone (SC); ``aggregate`` is
    memoryless (MMA), A1 or A2.
    """

    setting: Phase2Setting
    evolutionary: bool
    aggregate: Aggregation

    def init(self, n_clients: int) -> ServerState:
        """Nothing is known before round 1."""
        return ServerState()

    def round(
        self, state: ServerState, uploads: Uploads
    ) -> tuple[ServerState, np.ndarray, np.ndarray]:
        """Algorithm 2, lines 7-14 (Algorithm 3, lines 6-10, where nothing is remembered)."""
        s = self.setting
        cluster = partial(agglomerative, n_clusters=s.n_clusters, linkage=s.linkage)
        W = cosine_similarity(uploads.models)
        if self.evolutionary:  # line 7
            before = state.psi
            if before is None:
                before = W if s.start == "first" else np.zeros_like(W)
            psi, alpha, labels = affect(W, before, cluster, state.alpha, s.iterations)
        else:
            psi, alpha, labels = None, 0.0, cluster(W)
        labels = match_labels(labels, state.labels)

        models = cluster_means(uploads.models, uploads.n_samples, labels)  # line 9
        if s.identity == "client":
            models = models[labels]
        estimate = self.aggregate(models, state.estimate, uploads.t, alpha)  # line 11
        held = estimate if s.identity == "client" else estimate[labels]
        if self.aggregate is not memoryless and s.send == "unchanged" and not uploads.last:
            # Line 10. In round 1 there is no round before: clients have their own models.
            had = uploads.models if state.held is None or s.unsent == "own" else state.held
            held = np.where(unchanged(labels, state.labels)[:, None], held, had)
        return ServerState(psi, alpha, labels, estimate, held), held, labels


def match_labels(labels: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """Rename clusters so that as many clients as possible keep the label of the round before."""
    if before is None:
        return labels
    C = max(labels.max(), before.max()) + 1
    overlap = np.zeros((C, C))
    np.add.at(overlap, (labels, before), 1)
    return linear_sum_assignment(overlap, maximize=True)[1][labels]


def unchanged(labels: np.ndarray, before: np.ndarray | None) -> np.ndarray:
    """``bool [K]``: whether each client's cluster has the members of the round before."""
    if before is None:
        return np.zeros(len(labels), dtype=bool)
    moved = labels != before
    return ~np.isin(labels, np.concatenate([labels[moved], before[moved]]))


METHODS: dict[str, Callable[[Phase2Setting], Method]] = {
    "fed-react-a1": partial(ServerClustering, evolutionary=True, aggregate=running_mean),
    "fed-react-a2": partial(ServerClustering, evolutionary=True, aggregate=forgetting),
    "sc-mma": partial(ServerClustering, evolutionary=False, aggregate=memoryless),
    "ec-mma": partial(ServerClustering, evolutionary=True, aggregate=memoryless),
}
"""The methods by the names that the configuration uses."""
