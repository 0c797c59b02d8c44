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


class ClientFits(NamedTuple):
    """Fits of each client so far: mean ``[K, P]``, samples, rounds, squares around the mean.

    Means and squares are weighted by samples.
    """

    own: np.ndarray
    n_samples: np.ndarray
    rounds: np.ndarray
    squares: np.ndarray


class PersonalState(NamedTuple):
    """Memory of Fed-REACT, and the fits of clients."""

    server: ServerState
    fits: ClientFits


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

    def init(self, n_clients: int, shape: tuple[int, int]) -> PersonalState:
        """Make the state before round 1, without fits."""
        zeros = np.zeros(n_clients)
        own = np.zeros((n_clients, shape[0] * shape[1]))
        inner = FedReact(self.setting, memory=self.memory).init(n_clients, shape)
        return PersonalState(inner, ClientFits(own, zeros, zeros, zeros))

    def round(
        self, state: PersonalState, uploads: Uploads
    ) -> tuple[PersonalState, np.ndarray, np.ndarray]:
        """Take a round of Fed-REACT, then shrink each client's own model towards its cluster's."""
        inner = FedReact(self.setting, memory=self.memory)
        server, held, labels = inner.round(state.server, uploads)
        fits = noted(state.fits, uploads)
        weight = weights(fits, labels).astype(held.dtype)[:, None]
        models = held + weight * (fits.own.astype(held.dtype) - held)
        return PersonalState(server, fits), models, labels


def noted(fits: ClientFits, uploads: Uploads) -> ClientFits:
    """Add the fits of a round (Welford's recursion)."""
    present = uploads.present
    m = np.where(present, uploads.n_samples, 0).astype(float)
    n = fits.n_samples + m
    off = np.where(present[:, None], uploads.models - fits.own, 0.0)
    own = fits.own + (m / np.maximum(n, 1))[:, None] * off
    added = m * (off * np.where(present[:, None], uploads.models - own, 0.0)).sum(1)
    return ClientFits(own, n, fits.rounds + present, fits.squares + added)


def weights(fits: ClientFits, labels: np.ndarray) -> np.ndarray:
    """Return the weight ``[K]`` of each client's own fits, from 0 (the cluster's model) to 1."""
    seen = fits.rounds > 0
    freedom = (fits.rounds[seen] - 1).sum()
    if freedom == 0:
        return np.zeros(len(labels))
    noise = fits.squares[seen].sum() / freedom  # of a fit on one sample
    of_own = noise / np.maximum(fits.n_samples, 1)
    spread, expected, clients = 0.0, 0.0, 0
    for cluster in np.unique(labels[seen]):
        members = np.flatnonzero(seen & (labels == cluster))
        own = fits.own[members]
        spread += ((own - own.mean(0)) ** 2).sum()
        expected += (len(members) - 1) * of_own[members].mean()
        clients += len(members) - 1
    between = max(0.0, spread - expected) / max(clients, 1)
    total = between + of_own
    return np.divide(between, total, out=np.zeros(len(labels)), where=seen & (total > 0))


ALGORITHM = FedReactPersonal
