"""Fed-REACT without a server (in no paper): clients exchange task models with a few neighbours.

Each client does what Fed-REACT's server does (Algorithm 2, lines 7 to 14), with the models that it
has heard of: those from which it hears nothing in a round are absent to it (appendix F). It keeps
the model that this gives itself.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from fedreact.clustering.hierarchical import agglomerative
from fedreact.kinds.clustered.algorithms.fed_react import FedReact, ServerState
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.options import Count, Natural
from fedreact.rng import generator


class GossipState(NamedTuple):
    """Memory of all clients between rounds.

    Attributes
    ----------
    models
        ``[K, K, P]``: the model of client j that client k knows.
    fitted
        ``int [K, K]``: the round in which it was fitted; 0 if k has not heard of j.
    servers
        What each client remembers in its role of a server.
    held
        ``[K, P]``: the model that each client uses.
    same
        ``bool [K, K]``: whether client k has j in its cluster.
    """

    models: np.ndarray
    fitted: np.ndarray
    servers: tuple[ServerState, ...]
    held: np.ndarray
    same: np.ndarray


@dataclass(frozen=True)
class Gossip:
    """Fed-REACT at every client, over models that neighbours send.

    Attributes
    ----------
    neighbours
        Clients to which a client sends in a round.
    graph
        ``ring``: the nearest ones in the order of clients, the same in all rounds; ``random``:
        others are drawn in each round.
    forwards
        Models of others, the newest that it knows, that a client sends beside its own.
    memory
        Means over the rounds, as in Fed-REACT.
    """

    has_places: ClassVar[bool] = True

    setting: Setting
    neighbours: Count = 2
    graph: Literal["ring", "random"] = "random"
    forwards: Natural = 0
    memory: Literal["a1", "a2", "a3", "none"] = "a1"

    @cached_property
    def server(self) -> FedReact:
        """The algorithm that each client runs."""
        return FedReact(self.setting, memory=self.memory)

    def traffic(self) -> tuple[int, int]:
        """Count the models that a client receives and sends, on average."""
        each = self.neighbours * (1 + self.forwards)
        return each, each

    def init(self, n_clients: int, shape: tuple[int, int]) -> GossipState:
        """Make the state before round 1: nobody knows a model."""
        K, P = n_clients, shape[0] * shape[1]
        return GossipState(
            np.zeros((K, K, P), np.float32),
            np.zeros((K, K), int),
            tuple(self.server.init(K, shape) for _ in range(K)),
            np.zeros((K, P), np.float32),
            np.eye(K, dtype=bool),
        )

    def round(
        self, state: GossipState, uploads: Uploads
    ) -> tuple[GossipState, np.ndarray, np.ndarray]:
        """Exchange models once, and cluster and average what is known, client by client."""
        present = uploads.present
        models, fitted, heard = self._exchanged(state, uploads)
        held, same, servers = state.held.copy(), state.same.copy(), list(state.servers)
        for k in np.flatnonzero(present):
            held[k] = uploads.models[k]
            # With fewer clients than clusters there is nothing to be found.
            if (fitted[k] > 0).sum() < self.setting.n_clusters:
                continue
            own = replace(uploads, models=models[k], present=heard[k])
            if servers[k].clusters is None:  # models heard before its first clustering count, too
                own = replace(own, present=fitted[k] > 0)
            servers[k], of_all, labels = self.server.round(servers[k], own)
            held[k], same[k] = of_all[k], labels == labels[k]
        state = GossipState(models, fitted, tuple(servers), held, same)
        return state, held, self._agreed(same, fitted.diagonal() > 0)

    def _exchanged(
        self, state: GossipState, uploads: Uploads
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what is known after the exchange, and ``bool [K, K]``: what is new to client k."""
        present, t = uploads.present, uploads.t
        K, senders = len(present), np.flatnonzero(present).tolist()
        before, since = state.models.copy(), state.fitted.copy()
        for k in senders:
            before[k, k], since[k, k] = uploads.models[k], t
        models, fitted, heard = before.copy(), since.copy(), np.diag(present)
        for k in senders:
            newest = np.argsort(-since[k], kind="stable")
            sent = [k, *[i for i in newest if i != k and since[k, i] > 0][: self.forwards]]
            for j in self._neighbours(k, K, t):
                for i in sent:
                    if present[j] and since[k, i] > fitted[j, i]:
                        models[j, i], fitted[j, i], heard[j, i] = before[k, i], since[k, i], True
        return models, fitted, heard

    def _neighbours(self, k: int, n_clients: int, t: int) -> np.ndarray:
        """Return the clients to which client ``k`` sends in round ``t``."""
        n = min(self.neighbours, n_clients - 1)
        if self.graph == "ring":
            steps = np.array([(i // 2 + 1) * (1 if i % 2 == 0 else -1) for i in range(n)])
            return (k + steps) % n_clients
        others = np.setdiff1d(np.arange(n_clients), [k])
        return generator(self.setting.seed, "gossip", t, k).choice(others, n, replace=False)

    def _agreed(self, same: np.ndarray, seen: np.ndarray) -> np.ndarray:
        """Return the clusters ``[K]`` that agree best with what the clients found by themselves.

        Two clients are as similar as the share of them, 0, 1/2 or 1, that has both in one cluster.
        """
        similarity = (same.astype(float) + same.T) / 2
        labels = np.full(len(same), -1)
        labels[seen] = agglomerative(
            similarity[np.ix_(seen, seen)], self.setting.n_clusters, "average"
        )
        return labels


ALGORITHM = Gossip
