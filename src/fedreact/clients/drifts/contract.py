"""The contract of a kind of drift: a file of this folder that defines ``DRIFT``.

A drift is a frozen dataclass, whose fields are its options (:mod:`fedreact.options`). A setting
names it by its file (``drift: {kind: visiting, probability: 0.05}``).
"""

from typing import Protocol

import numpy as np


class Drift(Protocol):
    """How the clients' clusters and label distributions change over the rounds."""

    def draw(
        self,
        clusters: np.ndarray,
        distributions: np.ndarray,
        rounds: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw the clients' clusters and label distributions in each of T rounds.

        Parameters
        ----------
        clusters
            ``int [K]``: the clients' clusters at the start.
        distributions
            ``[C, S, labels]``: label distributions of each cluster, in each of its S states.

        Returns
        -------
        truth, shares, long_run
            True clusters ``int [T, K]``; label distributions ``[T, K, labels]`` of the clients'
            data in each round, and of their clusters over all rounds.
        """
