"""Strategy 1 (Fed-REACT, arXiv section 4.2): clusters switch between two distributions."""

from dataclasses import dataclass

import numpy as np

from fedreact.errors import UserError
from fedreact.options import Probability


@dataclass(frozen=True)
class Switching:
    """Each cluster is a Markov chain of two states, which starts in its stationary distribution.

    Attributes
    ----------
    p01, p10
        Probabilities to leave states 0 and 1.
    """

    p01: Probability
    p10: Probability

    def draw(
        self,
        clusters: np.ndarray,
        distributions: np.ndarray,
        rounds: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw the states; members of a cluster share its state."""
        p01, p10 = self.p01, self.p10
        if distributions.shape[1] != 2:
            raise UserError("drift switching needs a partition with two states for each cluster")
        if p01 + p10 == 0:
            raise UserError(
                "drift switching: p01 and p10 are 0; without a switch there is no drift"
            )
        in_1 = p01 / (p01 + p10)
        C = len(distributions)
        state = np.empty((rounds, C), dtype=int)
        state[0] = rng.random(C) < in_1
        for t in range(1, rounds):
            leaves = rng.random(C) < np.where(state[t - 1] == 0, p01, p10)
            state[t] = state[t - 1] ^ leaves
        by_cluster = distributions[np.arange(C), state]
        mixture = (1 - in_1) * distributions[:, 0] + in_1 * distributions[:, 1]
        truth = np.tile(clusters, (rounds, 1))
        return truth, by_cluster[:, clusters], mixture[truth]


DRIFT = Switching
