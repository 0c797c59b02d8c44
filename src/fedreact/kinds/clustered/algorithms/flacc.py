"""FLACC: clients are merged greedily by the similarity of their updates of a global model.

Mehta and Shao (2023), "A Greedy Agglomerative Framework for Clustered Federated Learning". As in
Fed-REACT (arXiv, section 4.2), the number of clusters C is given. How merges are spread over the
rounds and what becomes of absent clients are choices of this project; see :class:`FLACC`.
"""

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from fedreact.aggregation.mean import cluster_means
from fedreact.aggregation.temporal import memory_named
from fedreact.clustering.hierarchical import relabel
from fedreact.kinds.clustered.algorithms.ifca import average, random_models
from fedreact.kinds.clustered.contract import (
    LocalWork,
    Setting,
    Uploads,
    only_classification,
)
from fedreact.options import Count, Positive


class FLACCState(NamedTuple):
    """Memory of the server between rounds.

    Attributes
    ----------
    models
        ``[F, P]``: the global model (F = 1), or one for each group once at most C are left.
    groups
        ``int [K]``: clients that were merged have the same number, 0, 1, ...
    seen
        ``bool [K]``: clients that have taken part.
    memory
        Memory of the models that clients hold.
    """

    models: np.ndarray
    groups: np.ndarray
    seen: np.ndarray
    memory: Any = None


@dataclass(frozen=True)
class FLACC:
    """FedAvg of one global model while groups are merged, then FedAvg in each of C groups.

    The K - C merges are spread evenly over ``merge_rounds`` rounds. Only groups of which a member
    takes part have an update to compare, the others wait; and never are fewer than C of those that
    take part left, for they may be of C clusters. What cannot be merged in time is merged later.

    Attributes
    ----------
    merge_rounds
        Rounds over which the merges are spread.
    local
        What a client does in a round: ``descent`` from the model that it receives, or an exact
        ``fit``, as in Fed-REACT.
    learning_rate, steps
        Step size and steps of a descent; the size is a multiple of 1/L_k, the inverse of the
        largest curvature of the client's loss (:mod:`fedreact.task_models.descent`).
    memory
        Memory as in IFCA; a group's memory starts when it separates.
    """

    setting: Setting
    merge_rounds: Count = 10
    local: LocalWork = "descent"
    learning_rate: Positive = 1.0
    steps: Count = 10
    memory: Literal["a1", "none"] = "none"

    skip = staticmethod(only_classification)

    def init(self, n_clients: int, shape: tuple[int, int]) -> FLACCState:
        """Draw a global model; each client is a group."""
        models = random_models(self.setting.seed, 1, shape)
        groups, seen = np.arange(n_clients), np.zeros(n_clients, dtype=bool)
        if n_clients <= self.setting.n_clusters:
            models = models[np.zeros_like(groups)]
        return FLACCState(models, groups, seen)

    def round(
        self, state: FLACCState, uploads: Uploads
    ) -> tuple[FLACCState, np.ndarray, np.ndarray]:
        """Run FedAvg in each federation, then merge if there is still one federation of all."""
        models, groups, memory = state.models, state.groups, state.memory
        K, C = len(groups), self.setting.n_clusters
        n_groups = groups.max() + 1
        federation = groups if n_groups <= C else np.zeros_like(groups)
        start = models[federation]
        trained = uploads.after(start, self.local, self.learning_rate, self.steps)
        weight = uploads.n_samples * uploads.present
        share = (federation[:, None] == np.arange(len(models))) * weight[:, None]
        models, observed = average(models, trained, share)
        memory, estimate = memory_named(self.memory)(memory, models, 0.0, observed)
        held = estimate[federation].astype(models.dtype)

        if n_groups > C:
            due = K - (K - C) * min(uploads.t, self.merge_rounds) // self.merge_rounds
            update = np.where(uploads.present[:, None], trained - start, 0)
            groups = merge(update, weight, groups, n_groups - due, C)
            if groups.max() < C:
                models, memory = models[np.zeros(groups.max() + 1, dtype=int)], None
        seen = state.seen | uploads.present
        labels = np.full(K, -1)
        labels[seen] = relabel(groups[seen])
        return FLACCState(models, groups, seen, memory), held, labels


def merge(
    updates: np.ndarray, weight: np.ndarray, groups: np.ndarray, n_merges: int, at_least: int
) -> np.ndarray:
    """Merge the two groups with the most similar mean updates, again and again.

    Parameters
    ----------
    updates
        ``[K, P]``: trained model minus model sent.
    weight
        ``[K]`` samples; 0 for clients that do not take part. Groups without weight are left alone.
    groups
        ``int [K]``, numbered 0, 1, ...
    n_merges, at_least
        There are ``n_merges`` merges, fewer if ``at_least`` groups with weight are left before.

    Returns
    -------
    numpy.ndarray
        ``int [K]`` groups, numbered 0, 1, ... in the order of their first client.
    """
    n_groups = groups.max() + 1
    total = np.bincount(groups, weight, n_groups)
    live = np.flatnonzero(total)
    total, name = total[live], np.arange(n_groups)
    mean = cluster_means(updates.astype(float), weight, groups, n_groups)[live]
    # Means of means are linear, so inner products are all that merges need.
    inner = mean @ mean.T
    for _ in range(min(n_merges, len(live) - at_least)):
        norm = np.sqrt(np.maximum(np.diag(inner), 0))
        scale = np.outer(norm, norm)
        similarity = np.divide(inner, scale, out=np.zeros_like(inner), where=scale > 0)
        np.fill_diagonal(similarity, -np.inf)
        i, j = np.sort(np.unravel_index(similarity.argmax(), similarity.shape))
        a = total[[i, j]] / (total[i] + total[j])
        inner[i] = a @ inner[[i, j]]
        inner[:, i] = inner[:, [i, j]] @ a
        total[i] += total[j]
        name[name == live[j]] = live[i]
        inner = np.delete(np.delete(inner, j, 0), j, 1)
        total, live = np.delete(total, j), np.delete(live, j)
    return relabel(name[groups])


ALGORITHM = FLACC
