"""The contract of a way to count clusters: a file that defines ``ALGORITHM``.

``ALGORITHM(setting, **options)`` makes a frozen dataclass, whose first field is ``setting`` and
whose others are its options (:mod:`fedreact.options`).
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from fedreact.clustering.hierarchical import Linkage


@dataclass(frozen=True)
class Setting:
    """Options that all criteria of a run have in common.

    Attributes
    ----------
    max_clusters
        Largest number of clusters to try.
    seed
        Seed of what criteria draw.
    linkage
        Linkage of the agglomerative clustering.
    iterations
        AFFECT iterations per round.
    start
        Smoothed similarities before round 1, ``zeros`` or those of the ``first`` round.
    """

    max_clusters: int
    seed: int = 0
    linkage: Linkage = "ward"
    iterations: int = 5
    start: Literal["zeros", "first"] = "zeros"


class Algorithm(Protocol):
    """A way to cluster clients into as many clusters as it finds."""

    def round(self, memory: Any, W: np.ndarray) -> tuple[Any, np.ndarray]:
        """Return the memory after a round, and clusters ``int [K]``.

        Parameters
        ----------
        memory
            That after the round before; ``None`` in the first.
        W
            ``[K, K]`` similarities of the clients' task models of this round.
        """
