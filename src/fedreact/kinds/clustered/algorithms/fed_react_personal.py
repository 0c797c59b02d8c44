"""Fed-REACT with personal models, each shrunk towards its cluster's (in no paper).

Where clients are people, what is theirs is lost when models are merged; but a client that has few
labels knows little of itself. So empirical Bayes, with the model that A3 (ICLR section 3.2.3) has
of a cluster carried to its clients: a client's true model is that of its cluster plus a deviation
of variance ``between``, and what it fits in a round is its true model plus noise of variance
``noise`` over the number of samples. The best guess is between the mean of its own fits and its
cluster's model, by how well each is known:

    model = cluster + between / (between + noise / N) (own - cluster),

N the samples that it has fitted on so far. Both variances are estimated by moments, pooled over all
clients, from what is uploaded anyway; in the first round, in which the noise is not known, a client
has its cluster's model. Samples that are drawn again in a later round count again.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from fedreact.kinds.clustered.algorithms.fed_react import FedReact, ServerState
from fedreact.kinds.clustered.contract import Setting, Uploads


class OfClients(NamedTuple):
    """Fits of each client so far: their mean ``[K, P]``, samples, rounds, squares around the mean.

    Means and squares are weighted by samples.
    """

    own: np.ndarray
    n_samples: np.ndarray
    rounds: np.ndarray
    squares: np.ndarray


class State(NamedTuple):
    """What Fed-REACT remembers, and the fits of clients."""

    of_clusters: ServerState
    of_clients: OfClients


@dataclass(frozen=True)
class FedReactPersonal:
    """Fed-REACT, and each client's own model shrunk towards its cluster's.

    Attributes
    ----------
    memory
        Memory of the cluster models, as in Fed-REACT.
    """

    setting: Setting
    memory: Literal["a1", "a2", "none"] = "a1"

    def init(self, n_clients: int, shape: tuple[int, int]) -> State:
        """Nothing is known before round 1."""
        zeros = np.zeros(n_clients)
        own = np.zeros((n_clients, shape[0] * shape[1]))
        inner = FedReact(self.setting, memory=self.memory).init(n_clients, shape)
        return State(inner, OfClients(own, zeros, zeros, zeros))

    def round(self, state: State, uploads: Uploads) -> tuple[State, np.ndarray, np.ndarray]:
        """A round of Fed-REACT, then each client's own model."""
        inner = FedReact(self.setting, memory=self.memory)
        of_clusters, held, labels = inner.round(state.of_clusters, uploads)
        known = noted(state.of_clients, uploads)
        weight = weights(known, labels).astype(held.dtype)[:, None]
        models = held + weight * (known.own.astype(held.dtype) - held)
        return State(of_clusters, known), models, labels


def noted(known: OfClients, uploads: Uploads) -> OfClients:
    """Add the fits of a round (Welford's recursion)."""
    here = uploads.present
    m = np.where(here, uploads.n_samples, 0).astype(float)
    n = known.n_samples + m
    off = np.where(here[:, None], uploads.models - known.own, 0.0)
    own = known.own + (m / np.maximum(n, 1))[:, None] * off
    added = m * (off * np.where(here[:, None], uploads.models - own, 0.0)).sum(1)
    return OfClients(own, n, known.rounds + here, known.squares + added)


def weights(known: OfClients, labels: np.ndarray) -> np.ndarray:
    """Weight ``[K]`` of each client's own fits, from 0 (the cluster's model) to 1."""
    seen = known.rounds > 0
    freedom = (known.rounds[seen] - 1).sum()
    if freedom == 0:
        return np.zeros(len(labels))
    noise = known.squares[seen].sum() / freedom  # of a fit on one sample
    of_own = noise / np.maximum(known.n_samples, 1)
    spread, expected, clients = 0.0, 0.0, 0
    for cluster in np.unique(labels[seen]):
        members = np.flatnonzero(seen & (labels == cluster))
        own = known.own[members]
        spread += ((own - own.mean(0)) ** 2).sum()
        expected += (len(members) - 1) * of_own[members].mean()
        clients += len(members) - 1
    between = max(0.0, spread - expected) / max(clients, 1)
    total = between + of_own
    return np.divide(between, total, out=np.zeros(len(labels)), where=seen & (total > 0))


ALGORITHM = FedReactPersonal
