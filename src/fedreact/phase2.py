"""Phase 2: rounds of local fits, clustering and aggregation (Algorithm 2).

The local fits of a round are shared by all methods that are compared, so methods differ in what
the server does and in nothing else.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from fedreact.methods import Method, Uploads
from fedreact.partition import Partition
from fedreact.rng import generator
from fedreact.scoring import HeldOut, rand_score
from fedreact.task_models import fit_linear_svm


class RoundScores(NamedTuple):
    """Scores of one method in one round: accuracy over clients, Rand score of the clusters."""

    t: int
    method: str
    accuracy: float
    rand: float


def run(
    features: np.ndarray,
    y: np.ndarray,
    partition: Partition,
    methods: Mapping[str, Method],
    rounds: int,
    seed: int,
    samples_per_round: int = 64,
    C: float = 1.0,
    loss: str = "squared_hinge",
) -> Iterator[RoundScores]:
    """Run all methods side by side; yields their scores round by round.

    Parameters
    ----------
    features
        ``float32 [N, D]`` features of all samples under the frozen encoder.
    y
        ``int [N]`` labels.
    partition
        The clients' samples and true clusters; clients are scored on their test samples.
    rounds
        T_task.
    samples_per_round
        |M_t^k|: labelled samples that each client draws from its train set in each round.
    C, loss
        Of the linear SVM; see :func:`fedreact.task_models.fit_linear_svm`.
    """
    K, n_classes = len(partition.train), int(y.max()) + 1
    held_out = HeldOut(features, y, partition.test)
    states = {name: method.init(K) for name, method in methods.items()}
    for t in range(1, rounds + 1):
        at, valid = labelled_samples(partition.train, samples_per_round, seed, t)
        weights = fit_linear_svm(features[at], y[at], n_classes, C=C, loss=loss, valid=valid)
        uploads = Uploads(t, t == rounds, weights.reshape(K, -1), valid.sum(1))
        held, labels = [], []
        for name, method in methods.items():
            states[name], models, found = method.round(states[name], uploads)
            held.append(models.reshape(weights.shape))
            labels.append(found)
        accuracy = held_out.accuracy(np.stack(held).astype(np.float32))
        for name, acc, found in zip(methods, accuracy, labels):
            yield RoundScores(t, name, float(acc), rand_score(partition.clusters, found))


def standardise(features: np.ndarray, train: list[np.ndarray]) -> np.ndarray:
    """Bring each feature to mean 0 and variance 1 over the clients' train samples.

    A server can do so without seeing samples: sums and sums of squares are enough.
    """
    count = np.bincount(np.concatenate(train), minlength=len(features))
    mean = np.average(features, axis=0, weights=count)
    deviation = np.average((features - mean) ** 2, axis=0, weights=count) ** 0.5
    return ((features - mean) / np.where(deviation > 0, deviation, 1)).astype(features.dtype)


def labelled_samples(
    train: list[np.ndarray], n: int, seed: int, t: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw M_t^k for each client: ``n`` samples of its train set, or all if it has fewer.

    Returns
    -------
    at, valid
        ``[K, n]``: sample indices, and which of them count.
    """
    at = np.zeros((len(train), n), dtype=np.int64)
    valid = np.zeros_like(at, dtype=bool)
    for k, indices in enumerate(train):
        m = min(n, len(indices))
        at[k, :m] = generator(seed, "labelled samples", t, k).choice(indices, m, replace=False)
        valid[k, :m] = True
    return at, valid
