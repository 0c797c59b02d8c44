"""Aggregation of task models over the rounds (Fed-REACT, section 2): MMA, A1 and A2.

Each approach turns this round's cluster models theta_c,t and its memory into the estimates that the
clusters' clients get. A3 is in :mod:`fedreact.aggregation.kalman`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class Aggregation(Protocol):
    """The contract of an approach; ``memory`` is ``None`` before round 1, and its own after."""

    def __call__(
        self, memory: Any, models: np.ndarray, alpha: float, observed: np.ndarray
    ) -> tuple[Any, np.ndarray]:
        """Return the memory after the round and the estimates ``[C, P]``.

        Parameters
        ----------
        memory
            What was returned in the round before; ``None`` in the first.
        models
            ``[C, P]`` of this round; of a cluster that is not observed, the mean of what its
            members uploaded last.
        alpha
            The round's forgetting factor.
        observed
            ``bool [C]``: clusters of which a member took part. Where none did, nothing is learnt
            in this round: approaches with a memory keep to it, if they have one.
        """


@dataclass(frozen=True, eq=False)
class Memory:
    """Estimates ``[C, P]`` and the rounds ``[C]`` in which each was observed."""

    estimate: np.ndarray
    count: np.ndarray


def memoryless(
    memory: None, models: np.ndarray, alpha: float, observed: np.ndarray
) -> tuple[None, np.ndarray]:
    """Return the models of the round: MMA, without a memory (arXiv section 4.2).

    It is called as :class:`Aggregation` says.
    """
    return None, models


def running_mean(
    memory: Memory | None, models: np.ndarray, alpha: float, observed: np.ndarray
) -> tuple[Memory, np.ndarray]:
    """Average theta_c,1 ... theta_c,t: A1, simple temporal averaging (eq. 5).

    It is called as :class:`Aggregation` says; ``alpha`` plays no part.
    """
    return _step(memory, models, observed, lambda count: (count - 1) / count)


def forgetting(
    memory: Memory | None, models: np.ndarray, alpha: float, observed: np.ndarray
) -> tuple[Memory, np.ndarray]:
    """Average with the adaptive forgetting factor alpha_t as weight of the past: A2 (eq. 6).

    It is called as :class:`Aggregation` says.
    """
    return _step(memory, models, observed, lambda count: np.full(count.shape, alpha))


def _step(
    memory: Memory | None,
    models: np.ndarray,
    observed: np.ndarray,
    weight_of_past: Callable[[np.ndarray], np.ndarray],
) -> tuple[Memory, np.ndarray]:
    """Return ``w estimate + (1 - w) models`` for observed clusters, w = 0 the first time."""
    if memory is None:
        memory = Memory(models, np.zeros(len(models), dtype=int))
    count = memory.count + observed
    w = np.where(count > 1, weight_of_past(np.maximum(count, 1)), 0.0)[:, None]
    renewed = w * memory.estimate + (1 - w) * models
    keep = ~observed & (count > 0)
    estimate = np.where(keep[:, None], memory.estimate, renewed)
    return Memory(estimate, count), estimate


def memory_named(name: str, **options: Any) -> Aggregation:
    """Return the approach called ``none`` (MMA), ``a1``, ``a2`` or ``a3``, with A3's options."""
    if name == "a3":
        from fedreact.aggregation.kalman import KalmanSmoothing

        return KalmanSmoothing(**options)
    approaches: dict[str, Aggregation] = {
        "none": memoryless,
        "a1": running_mean,
        "a2": forgetting,
    }
    return approaches[name]
