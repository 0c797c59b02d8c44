"""Strategy 2 (Fed-REACT, arXiv section 4.2): clients visit other clusters for a round."""

from dataclasses import dataclass

import numpy as np

from fedreact.clients.drifts.simplex import another, of_clusters, points_of_the_simplex
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

    def draw(self, clusters, distributions, rounds, rng):
        """Draw points and visits."""
        fresh = points_of_the_simplex(distributions, rounds, rng)
        home = np.tile(clusters, (rounds, 1))
        visits = rng.random(home.shape) < self.probability
        truth = np.where(visits, another(home, len(distributions), rng), home)
        return truth, of_clusters(fresh, truth), distributions.mean(1)[home]


DRIFT = Visiting
