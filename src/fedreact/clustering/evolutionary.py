"""Evolutionary clustering by hand: AFFECT with scikit-learn's conventions.

The workflow uses :func:`fedreact.clustering.affect.affect` itself. This class is for a notebook,
with one call for each round.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import validate_data

from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import Linkage, agglomerative, cosine_similarity


class EvolutionaryClustering(ClusterMixin, BaseEstimator):
    """Clusters of rows that change from round to round (Fed-REACT, Algorithm 4).

    Parameters
    ----------
    n_clusters
        Number of clusters; if there are fewer rows, each row is a cluster.
    linkage
        Linkage of the agglomerative clustering: ``ward``, ``ward-dissimilarity``, ``ward-rows``,
        ``average`` or ``complete``.
    affinity
        ``cosine``, of the rows; or ``precomputed``: rows are similarities ``[K, K]``.
    iterations
        AFFECT iterations in a round.

    Attributes
    ----------
    labels_
        ``[K]`` clusters of the last round, numbered in the order of their first rows.
    alpha_
        Estimated forgetting factor: the weight of the past in the similarities.
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

    labels_: npt.NDArray[np.int64]
    alpha_: float
    affinity_: npt.NDArray[np.float64]
    n_rounds_: int

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        linkage: Linkage = "ward",
        affinity: str = "cosine",
        iterations: int = 5,
    ):
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.affinity = affinity
        self.iterations = iterations

    def fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Cluster one round ``X [K, P]``, without a past."""
        return self._round(X, first=True)

    def partial_fit(self, X: npt.ArrayLike, y: Any = None) -> Self:
        """Cluster a further round of the same rows.

        Parameters
        ----------
        X
            ``[K, P]`` models, or similarities ``[K, K]`` if ``affinity`` is ``precomputed``.
        y
            Ignored.

        Raises
        ------
        ValueError
            There are not as many rows as before, or an option is out of bounds.
        """
        return self._round(X, first=not hasattr(self, "affinity_"))

    def _round(self, X: npt.ArrayLike, first: bool) -> Self:
        rows: np.ndarray = validate_data(
            self, X, dtype=np.float64, reset=first, ensure_min_samples=2
        )
        if not isinstance(self.n_clusters, (int, np.integer)) or self.n_clusters < 1:
            raise ValueError(f"n_clusters is {self.n_clusters!r}; wanted 1 or more")
        if self.affinity not in ("cosine", "precomputed"):
            raise ValueError(f"affinity is {self.affinity!r}; use cosine or precomputed")
        W = rows if self.affinity == "precomputed" else cosine_similarity(rows)
        if W.shape[0] != W.shape[1]:
            raise ValueError(f"similarities must be square, not {W.shape}")
        if not first and W.shape != self.affinity_.shape:
            raise ValueError(f"there were {len(self.affinity_)} rows, now there are {len(W)}")
        before = np.zeros_like(W) if first else self.affinity_
        alpha = 0.0 if first else self.alpha_

        def cluster(similarity: np.ndarray) -> np.ndarray:
            return agglomerative(similarity, self.n_clusters, self.linkage)

        psi, alpha, labels = affect(W, before, cluster, alpha, self.iterations)
        self.affinity_, self.alpha_, self.labels_ = psi, alpha, labels
        self.n_rounds_ = 1 if first else self.n_rounds_ + 1
        return self
