"""IFCA: clients choose among the cluster models by their loss on their own samples.

Ghosh, Chung, Yin and Ramchandran (2020), "An Efficient Framework for Clustered Federated Learning",
Algorithm 1 with model averaging (option II). Fed-REACT compares with it in section 4.2 (arXiv) and
4.1.2 (ICLR). Clients may choose several clusters, as in FLSC
(:mod:`fedreact.kinds.clustered.algorithms.flsc`).
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.temporal import memory_named
from fedreact.kinds.clustered.contract import (
    LocalWork,
    Setting,
    Uploads,
    only_classification,
)
from fedreact.options import Count, Positive
from fedreact.rng import generator


class IFCAState(NamedTuple):
    """Memory of the server between rounds.

    Attributes
    ----------
    models
        ``[C, P]`` cluster models, which clients train on.
    choice
        ``int [K, n]``: the clusters of each client, best first; -1 until it first takes part.
    memory
        Memory of the cluster models that clients hold.
    """

    models: np.ndarray
    choice: np.ndarray
    memory: Any = None


@dataclass(frozen=True)
class IFCA:
    """IFCA.

    Attributes
    ----------
    memberships
        Clusters of each client, at most C.
    local
        What a client does in a round: ``descent`` from the model that it receives, or an exact
        ``fit``, as in Fed-REACT.
    learning_rate, steps
        Step size and steps of a descent; the size is a multiple of 1/L_k, the inverse of the
        largest curvature of the client's loss (:mod:`fedreact.task_models.descent`).
    memory
        Model that clients hold: the mean over all rounds (``a1``; ICLR, 4.1.2), or that of this
        round (``none``). It never affects the models that they choose among and train.
    start
        Start of the cluster models: ``random``, or the exact fits that C ``clients`` far from each
        other upload in round 1.
    """

    setting: Setting
    memberships: Count = 1
    local: LocalWork = "descent"
    learning_rate: Positive = 1.0
    steps: Count = 10
    memory: Literal["a1", "none"] = "none"
    start: Literal["random", "clients"] = "random"

    skip = staticmethod(only_classification)

    def traffic(self) -> tuple[int, int]:
        """Count task models: a client receives all (Algorithm 1, line 4), and uploads one."""
        return self.setting.n_clusters, 1

    def init(self, n_clients: int, shape: tuple[int, int]) -> IFCAState:
        """Draw cluster models, without any members (Algorithm 1, initialisation)."""
        C = self.setting.n_clusters
        choice = np.full((n_clients, min(self.memberships, C)), -1)
        return IFCAState(random_models(self.setting.seed, C, shape), choice)

    def round(
        self, state: IFCAState, uploads: Uploads
    ) -> tuple[IFCAState, np.ndarray, np.ndarray | None]:
        """Estimate cluster identities, update locally, average models (Algorithm 1, option II)."""
        models, present = state.models, uploads.present
        n = state.choice.shape[1]
        if self.start == "clients" and uploads.t == 1:
            far = far_apart(uploads.models, np.flatnonzero(present), len(models))
            models = np.concatenate([uploads.models[far], models[len(far) :]])
        choice = np.where(present[:, None], self.choose(models, uploads, n), state.choice)
        start = models[choice].mean(1)
        trained = uploads.after(start, self.local, self.learning_rate, self.steps)

        member = (choice[:, :, None] == np.arange(len(models))).any(1)
        share = member * (uploads.n_samples * present)[:, None]
        models, observed = average(models, trained, share)
        memory, estimate = memory_named(self.memory)(state.memory, models, 0.0, observed)
        held = estimate[choice].mean(1).astype(models.dtype)
        return IFCAState(models, choice, memory), held, choice[:, 0] if n == 1 else None

    def choose(self, models: np.ndarray, uploads: Uploads, n: int) -> np.ndarray:
        """Return the clusters ``int [K, n]`` of smallest loss for each client, best first."""
        return np.argsort(uploads.clients.losses(models), axis=1, kind="stable")[:, :n]


def far_apart(models: np.ndarray, among: np.ndarray, n: int) -> np.ndarray:
    """Choose up to n of the clients ``among``, each as far as possible from those before it.

    ``models`` are ``[K, P]``. The first client is the farthest from the mean.
    """
    distance = np.linalg.norm(models[among] - models[among].mean(0), axis=1)
    picked = [int(distance.argmax())]
    distance = np.full(len(among), np.inf)
    while len(picked) < min(n, len(among)):
        new = np.linalg.norm(models[among] - models[among[picked[-1]]], axis=1)
        distance = np.minimum(distance, new)
        picked.append(int(distance.argmax()))
    return among[picked]


def random_models(seed: int, n: int, shape: tuple[int, int]) -> np.ndarray:
    """Draw models ``float32 [n, P]`` as torch.nn.Linear does, from U(-1/sqrt(D), 1/sqrt(D))."""
    c, inputs = shape[0], shape[1] - 1
    bound = max(inputs, 1) ** -0.5
    rng = generator(seed, "cluster models")
    return rng.uniform(-bound, bound, (n, c * (inputs + 1))).astype(np.float32)


def average(
    models: np.ndarray, trained: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Average the trained models of each cluster's members (Algorithm 1, option II).

    Parameters
    ----------
    models
        ``[C, P]`` before the round; a cluster without members keeps its model.
    trained
        ``[K, P]``: models that the clients have trained.
    share
        ``[K, C]``: samples of each client in each cluster.

    Returns
    -------
    models, observed
        ``[C, P]``, and ``bool [C]``: clusters with members.
    """
    total, present = share.sum(0), share.any(1)  # rows of absent clients may hold anything
    means = (share[present] / np.maximum(total, 1)).T @ trained[present]
    observed = total > 0
    return np.where(observed[:, None], means, models).astype(models.dtype), observed


ALGORITHM = IFCA
