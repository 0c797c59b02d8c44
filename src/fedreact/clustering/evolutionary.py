"""Evolutionary clustering by hand: AFFECT with scikit-learn's conventions.

The workflow uses :func:`fedreact.clustering.affect.affect` itself; this is the same for a notebook,
one call for each round of what is to be clustered.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity


class EvolutionaryClustering(ClusterMixin, BaseEstimator):
    """Clusters of rows that come again and again, and change (Fed-REACT, Algorithm 4).

    Parameters
    ----------
    n_clusters
        How many; rows that are fewer are a cluster each.
    linkage
        Linkage of the agglomerative clustering: ``ward``, ``ward-dissimilarity``, ``ward-rows``,
        ``average`` or ``complete``.
    affinity
        ``cosine``, of the rows; or ``precomputed``: rows are similarities ``[K, K]``.
    iterations
        Of AFFECT in a round.

    Attributes
    ----------
    labels_
        ``[K]`` clusters of the last round, numbered in the order of their first rows.
    alpha_
        The forgetting factor that it found: how much of the past the clusters rest on.
    affinity_
        ``[K, K]`` similarities, smoothed over the rounds.
    n_rounds_
        Rounds so far.

    Examples
    --------
    Two groups, seen through so much noise that a single round mixes them up:

    >>> import numpy as np
    >>> from fedreact import EvolutionaryClustering
    >>> rng = np.random.default_rng(0)
    >>> centres = np.repeat(rng.normal(size=(2, 8)), 5, axis=0)
    >>> clusterer = EvolutionaryClustering(n_clusters=2)
    >>> for _ in range(20):
    ...     clusterer = clusterer.partial_fit(centres + rng.normal(size=(10, 8)))
    >>> clusterer.labels_
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
    """

    def __init__(self, n_clusters=2, *, linkage="ward", affinity="cosine", iterations=5):
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.affinity = affinity
        self.iterations = iterations

    def fit(self, X, y=None):
        """Cluster one round ``X [K, P]``, without a past."""
        return self._round(X, first=True)

    def partial_fit(self, X, y=None):
        """Cluster a further round of the same rows.

        Parameters
        ----------
        X
            ``[K, P]`` models, or similarities ``[K, K]`` where they are given.
        y
            Plays no part.

        Raises
        ------
        ValueError
            There are not as many rows as before, or an option is out of bounds.
        """
        return self._round(X, first=not hasattr(self, "affinity_"))

    def _round(self, X, first):
        X = validate_data(self, X, dtype=np.float64, reset=first, ensure_min_samples=2)
        if not isinstance(self.n_clusters, (int, np.integer)) or self.n_clusters < 1:
            raise ValueError(f"n_clusters is {self.n_clusters!r}; wanted 1 or more")
        if self.affinity not in ("cosine", "precomputed"):
            raise ValueError(f"affinity is {self.affinity!r}; use cosine or precomputed")
        W = X if self.affinity == "precomputed" else cosine_similarity(X)
        if W.shape[0] != W.shape[1]:
            raise ValueError(f"similarities must be square, not {W.shape}")
        if not first and W.shape != self.affinity_.shape:
            raise ValueError(f"there were {len(self.affinity_)} rows, now there are {len(W)}")
        before = np.zeros_like(W) if first else self.affinity_
        alpha = 0.0 if first else self.alpha_

        def cluster(similarity):
            return agglomerative(similarity, self.n_clusters, self.linkage)

        found = affect(W, before, cluster, alpha, self.iterations)
        self.affinity_, self.alpha_, self.labels_ = found
        self.n_rounds_ = 1 if first else self.n_rounds_ + 1
        return self
