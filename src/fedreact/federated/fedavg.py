"""FedAvg (McMahan et al. 2017), and the rounds of every federated algorithm.

Algorithm 1 of Fed-REACT is FedAvg of the encoder on the contrastive loss.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedreact.federated.engine import Progress, Stacked, Workers


@dataclass(frozen=True)
class FedAvg:
    """Clients train the global model and keep nothing."""

    models: ClassVar[int] = 1

    def start(self, theta, n_clients):
        """No state."""
        return {}

    def local(self, training, theta, state, work):
        """Algorithm 1, lines 3-7."""
        start = theta.repeat(len(work.clients), 1)
        return training.descend(start, work, training.draw(work)), state

    def personal(self, theta, state):
        """Everyone uses the global model."""
        return theta[None]


BLOCK = 4096  # weights averaged at once


def weighted_mean(uploads: np.ndarray, n_samples: np.ndarray) -> np.ndarray:
    """Aggregate ``uploads [K, P]`` by sample counts ``[K]`` (Algorithm 1, line 8)."""
    share, mean = n_samples / n_samples.sum(), np.empty_like(uploads[0])
    # By blocks that stay in the cache: all uploads in float64 at once are twice their memory.
    for start in range(0, len(mean), BLOCK):
        block = slice(start, start + BLOCK)
        mean[block] = share @ uploads[:, block].astype(np.float64)
    return mean


def federate(
    engine: Workers | Stacked,
    theta: np.ndarray,
    state: dict[str, np.ndarray],
    n_samples: np.ndarray,
    rounds: range,
    on_progress: Progress = lambda done, loss: None,
) -> Iterator[tuple[int, np.ndarray, dict[str, np.ndarray]]]:
    """Run communication rounds, yielding ``(t, theta_t, state_t)`` after each round t.

    Parameters
    ----------
    engine
        Trains the clients from given weights.
    theta
        ``float32 [P]``: the global weights before the first of ``rounds``.
    state
        What clients keep, before the first of ``rounds``, each ``[K, ...]``.
    n_samples
        ``[K]``: the clients' sample counts n_k.
    rounds
        ``range(1, T + 1)``, or the part of it that is left after an interruption.
    """
    for t in rounds:
        uploads, state = engine.round(theta, state, t, on_progress)
        theta = weighted_mean(uploads, n_samples)
        yield t, theta, state
