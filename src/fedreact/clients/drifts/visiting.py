"""Strategy 2 (Fed-REACT, arXiv section 4.2): clients visit other clusters for a round."""

from dataclasses import dataclass

import numpy as np

from fedreact.clients.drifts.simplex import another_cluster, draw_points, of_clusters
from fedreact.options import Probability


@dataclass(frozen=True)
class Visiting:
    """A fresh point of the simplex for each cluster and round; clients visit other clusters.

    A visitor's true cluster is the one that it visits: it "moves to a different cluster
    temporarily" (appendix G.2).

    Attributes
    ----------
    probability
        Probability that a client visits another cluster in a round.
    """

    probability: Probability

    def draw(
        self,
        clusters: np.ndarray,
        distributions: np.ndarray,
        rounds: int,
        rng: np.random.Generator,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw points and visits."""
        fresh = draw_points(distributions, rounds, rng)
        home = np.tile(clusters, (rounds, 1))
        visits = rng.random(home.shape) < self.probability
        truth = np.where(visits, another_cluster(home, len(distributions), rng), home)
        return truth, of_clusters(fresh, truth), distributions.mean(1)[home]


DRIFT = Visiting
