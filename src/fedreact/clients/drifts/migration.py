"""Strategy 3 (Fed-REACT, arXiv appendix G.2): clients leave their clusters for good."""

from dataclasses import dataclass

import numpy as np

from fedreact.clients.drifts.simplex import another_cluster, draw_points, of_clusters
from fedreact.options import Probability


@dataclass(frozen=True)
class Migration:
    """Like Strategy 2, but a client that leaves its cluster joins another one for good.

    Attributes
    ----------
    probability
        Probability that a client leaves in a round.
    """

    probability: Probability

    def draw(
        self,
        clusters: np.ndarray,
        distributions: np.ndarray,
        rounds: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw points and moves."""
        fresh = draw_points(distributions, rounds, rng)
        truth = np.tile(clusters, (rounds, 1))
        moves = rng.random(truth.shape) < self.probability
        for t in range(1, rounds):
            elsewhere = another_cluster(truth[t - 1], len(distributions), rng)
            truth[t] = np.where(moves[t], elsewhere, truth[t - 1])
        return truth, of_clusters(fresh, truth), distributions.mean(1)[truth]


DRIFT = Migration
