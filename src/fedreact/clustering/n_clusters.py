"""Number of clusters, by five criteria.

Elbow and silhouette score are those of Fed-REACT (arXiv version, appendix E); the gap statistic,
the eigengap and the prediction strength are in neither version. All read the matrix of similarities
s_ij that the clustering reads: cosines (eq. 2), or those that AFFECT has smoothed. So they see the
clients as points with inner products s_ij, whose squared distances are s_ii + s_jj - 2 s_ij; half
of that is 1 - s_ij for cosines. No criterion depends on the scale of the matrix.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from fedreact.clustering.hierarchical import Linkage, cuts
from fedreact.errors import UserError
from fedreact.rng import generator

Criterion = Literal["elbow", "silhouette", "gap", "eigengap", "stability"]
"""Names of the criteria."""
REFERENCES = 20
"""Data sets without clusters that the gap statistic draws."""
SPLITS = 10
"""Times that the prediction strength splits the clients into halves."""
STRONG = 0.8
"""Prediction strength of a number of clusters that is accepted (Tibshirani and Walther 2005)."""
ROUNDING = 1e-12  # share of the largest value below which a value is rounding


class Criteria(NamedTuple):
    """Both criteria ``[max_clusters]`` for 1, 2, ... clusters; NaN where undefined."""

    wcss: np.ndarray
    silhouette: np.ndarray


def half_squared_distances(similarity: np.ndarray) -> np.ndarray:
    """Return (s_ii + s_jj) / 2 - s_ij ``[K, K]`` of similarities ``[K, K]``."""
    itself = np.diag(similarity)
    return (itself[:, None] + itself) / 2 - similarity


def wcss(similarity: np.ndarray, labels: np.ndarray) -> float:
    """Compute the within-cluster sum of squares.

    It comes from similarities, sum_c (sum_{i in c} s_ii - sum_{i, j in c} s_ij / |c|), so that a
    client whose weights are all zero is as far from the others here as in the clustering.

    Parameters
    ----------
    similarity
        ``[K, K]`` similarities.
    labels
        ``int [K]`` clusters.
    """
    return _wcss(similarity, _members(np.unique(labels, return_inverse=True)[1]))


def _wcss(similarity: np.ndarray, member: np.ndarray) -> float:
    """Compute the WCSS of clusters, given their members ``[K, C]``."""
    within = ((similarity @ member) * member).sum(0)
    return float((np.diag(similarity) @ member - within / member.sum(0)).sum())


def silhouette(similarity: np.ndarray, labels: np.ndarray) -> float:
    """Average the silhouettes (Rousseeuw 1987) of clients in clusters ``[K]``.

    The dissimilarities are half the squared distances. The result is NaN for a single cluster and
    if each client is a cluster. It equals that of scikit-learn, whose import would take longer than
    most runs of Phase 2.
    """
    _, cluster, size = np.unique(labels, return_inverse=True, return_counts=True)
    if not 1 < len(size) < len(labels):
        return float("nan")
    member = np.eye(len(size), dtype=bool)[cluster]
    sums = half_squared_distances(similarity) @ member
    own = sums[member] / np.maximum(size[cluster] - 1, 1)
    other = np.where(member, np.inf, sums / size).min(1)
    larger = np.maximum(own, other)
    widths = (other - own) / np.where(larger > 0, larger, 1)
    return float(np.where(size[cluster] > 1, widths, 0).mean())


def elbow(wcss_by_C: np.ndarray) -> int:
    """Return the number of clusters at the elbow of the WCSS ``[n]`` of 1, 2, ..., n clusters.

    The elbow is the point farthest below the chord from the first point to the last (Satopää et al.
    2011, "Finding a kneedle in a haystack"); 1 if no point is below it. The scales of the axes do
    not matter, but the largest number of clusters does: the chord ends there.

    Raises
    ------
    UserError
        There are fewer than 3 points.
    """
    wcss_by_C = np.asarray(wcss_by_C, float)
    if len(wcss_by_C) < 3:
        raise UserError(f"an elbow needs WCSS of at least 3 points; there are {len(wcss_by_C)}")
    chord = np.linspace(wcss_by_C[0], wcss_by_C[-1], len(wcss_by_C))
    return int(np.argmax(chord - wcss_by_C)) + 1


def gap(
    similarity: np.ndarray, max_clusters: int, linkage: Linkage = "ward", seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the gap statistic (Tibshirani, Walther and Hastie 2001, JRSS B 63:411-423).

    It is the mean of log WCSS over reference data without clusters, less log WCSS of the clients.
    References are uniform over a box that is aligned with the clients' principal components
    (section 3, choice b), which the similarities determine.

    Parameters
    ----------
    similarity
        ``[K, K]`` similarities.
    max_clusters
        Largest number of clusters, below K.
    seed
        Seed of the references.

    Returns
    -------
    gaps, errors
        ``[max_clusters]`` each, for 1, 2, ... clusters; errors are s_k, with the factor for the
        number of references.
    """
    points = _principal_components(similarity)
    low, high = points.min(0), points.max(0)
    rng, numbers = generator(seed, "gap statistic"), range(1, max_clusters + 1)

    def log_wcss(points: np.ndarray) -> np.ndarray:
        squares = (points**2).sum(1)
        closeness = 1 - (squares[:, None] + squares) / 2 + points @ points.T
        of_cuts = [_wcss(closeness, _members(c)) for c in cuts(closeness, numbers, linkage)]
        return np.log(np.maximum(of_cuts, ROUNDING * max(of_cuts[0], np.finfo(float).tiny)))

    references = np.array(
        [log_wcss(rng.uniform(low, high, points.shape)) for _ in range(REFERENCES)]
    )
    errors = references.std(0) * np.sqrt(1 + 1 / REFERENCES)
    return references.mean(0) - log_wcss(points), errors


def first_gap(gaps: np.ndarray, errors: np.ndarray) -> int:
    """Return the smallest k with Gap(k) >= Gap(k + 1) - s_{k + 1}, or the largest k."""
    enough = gaps[:-1] >= gaps[1:] - errors[1:]
    return int(np.argmax(enough)) + 1 if enough.any() else len(gaps)


def laplacian_eigenvalues(similarity: np.ndarray) -> np.ndarray:
    """Return the eigenvalues ``[K]`` of the normalised Laplacian, from the smallest on.

    It is L_sym = I - D^(-1/2) W D^(-1/2) (von Luxburg 2007, "A tutorial on spectral clustering",
    section 3.2). In the graph two clients are joined if either is among the log K nearest of the
    other (section 8.2), by their similarity relative to that with themselves, or not at all if it
    is negative. In the graph of all pairs the gap after the first eigenvalue hides all others. A
    client that is joined to nobody is a component of its own, with eigenvalue 0.
    """
    size = np.sqrt(np.maximum(np.diag(similarity), np.finfo(float).tiny))
    W = np.maximum(similarity / size / size[:, None], 0).astype(float)
    np.fill_diagonal(W, 0)
    least = np.sort(W, axis=1)[:, -int(np.ceil(np.log(len(W))))]
    near = least[:, None] <= W
    W *= near | near.T
    degree = W.sum(1)
    joined = degree > ROUNDING
    scale = np.where(joined, degree, 1) ** -0.5
    return np.linalg.eigvalsh(np.diag(joined.astype(float)) - scale[:, None] * W * scale)


def eigengap(eigenvalues: np.ndarray, max_clusters: int) -> int:
    """Return k of the largest gap between eigenvalues k and k + 1 (von Luxburg 2007, section 8.3).

    Parameters
    ----------
    eigenvalues
        ``[K]`` of the Laplacian, from the smallest on.
    max_clusters
        Largest k, below K.
    """
    return int(np.argmax(np.diff(eigenvalues[: max_clusters + 1]))) + 1


def prediction_strength(
    similarity: np.ndarray, max_clusters: int, linkage: Linkage = "ward", seed: int = 0
) -> np.ndarray:
    """Compute the prediction strength (Tibshirani and Walther 2005, JCGS 14:511-528).

    The clients are split into halves at random, and both are clustered. Of the pairs within a
    cluster of one half it is the share that the centres of the other half keep together; of the
    clusters the worst counts. A cluster of one client has no pairs, so nothing shows that it would
    be seen again: its share counts as 0.

    Parameters
    ----------
    similarity
        ``[K, K]`` similarities.
    max_clusters
        Largest number of clusters, at most K / 2.
    seed
        Seed of the halves.

    Returns
    -------
    numpy.ndarray
        ``[max_clusters]`` means over splits and both halves, for 1, 2, ... clusters.
    """
    rng, K = generator(seed, "prediction strength"), len(similarity)
    numbers, strengths = range(1, max_clusters + 1), []
    for _ in range(SPLITS):
        order = rng.permutation(K)
        halves = [np.sort(order[: K // 2]), np.sort(order[K // 2 :])]
        clusters = [cuts(similarity[np.ix_(half, half)], numbers, linkage) for half in halves]
        for test in (0, 1):
            train, across = halves[1 - test], similarity[np.ix_(halves[test], halves[1 - test])]
            within = similarity[np.ix_(train, train)]
            strengths.append(
                [
                    _kept_together(labels, _nearest_centre(across, within, of_train))
                    for labels, of_train in zip(clusters[test], clusters[1 - test])
                ]
            )
    return np.mean(strengths, axis=0)


def _nearest_centre(across: np.ndarray, within: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the nearest centre for each row of ``across [n, m]``.

    Centres are those of the clusters ``labels [m]`` of clients with similarities ``within``.
    """
    member = _members(labels)
    mean = member / member.sum(0)
    return np.argmin((mean * (within @ mean)).sum(0) - 2 * across @ mean, axis=1)


def _kept_together(labels: np.ndarray, others: np.ndarray) -> float:
    """Return the smallest share of pairs, over clusters ``labels [n]``, that ``others [n]`` keep.

    It is 0 if a cluster has no pair.
    """
    together = _members(labels).T @ _members(others)
    n = together.sum(1)
    pairs = (together * (together - 1)).sum(1)
    return float((pairs / np.maximum(n * (n - 1), 1)).min())


def strongest(strengths: np.ndarray) -> int:
    """Return the largest number of clusters with a prediction strength of at least 0.8, or 1."""
    return int(np.flatnonzero(np.append(True, strengths[1:] >= STRONG)).max()) + 1


def estimate(similarity: np.ndarray, max_clusters: int, linkage: Linkage = "ward") -> Criteria:
    """Compute WCSS and silhouette score of clients in 1, ..., ``max_clusters`` clusters.

    The clusters are cuts of one hierarchy of the similarities ``[K, K]``.

    Raises
    ------
    UserError
        There are more clusters than clients.
    """
    if not 1 <= max_clusters <= len(similarity):
        raise UserError(
            f"{len(similarity)} clients cannot be 1 to {max_clusters} clusters; "
            f"choose a largest number from 1 to {len(similarity)}"
        )
    clusters = cuts(similarity, range(1, max_clusters + 1), linkage)
    return Criteria(
        np.array([wcss(similarity, labels) for labels in clusters]),
        np.array([silhouette(similarity, labels) for labels in clusters]),
    )


def choose(
    criterion: str,
    similarity: np.ndarray,
    linkage: Linkage = "ward",
    max_clusters: int | None = None,
    seed: int = 0,
) -> int:
    """Choose the number of clusters of clients with similarities ``[K, K]``.

    Parameters
    ----------
    criterion
        ``elbow``; ``silhouette``, the number with the largest score; ``gap``, the first number
        whose gap statistic the next does not exceed by more than its error; ``eigengap``;
        ``stability``, the largest number with enough prediction strength.
    max_clusters
        Largest number to try; ``None``: K. A criterion that is not defined for so many tries fewer:
        K - 1 (gap, eigengap) or K / 2 (stability).
    seed
        Seed of what gap and stability draw.

    Raises
    ------
    UserError
        The criterion is unknown, or there are fewer than 3 clients.
    """
    if criterion not in (names := get_args(Criterion)):
        known = ", ".join(names[:-1])
        raise UserError(f"n_clusters is {criterion!r}; use a number, {known} or {names[-1]}")
    K = len(similarity)
    if K < 3:
        raise UserError(f"n_clusters {criterion} needs 3 clients at least; there are {K}")
    largest = min(K if max_clusters is None else max_clusters, K)
    if criterion == "gap":
        return first_gap(*gap(similarity, min(largest, K - 1), linkage, seed))
    if criterion == "eigengap":
        return eigengap(laplacian_eigenvalues(similarity), min(largest, K - 1))
    if criterion == "stability":
        return strongest(prediction_strength(similarity, min(largest, K // 2), linkage, seed))
    curves = estimate(similarity, largest, linkage)
    if criterion == "elbow":
        return elbow(curves.wcss)
    return int(np.nanargmax(curves.silhouette)) + 1


def _members(labels: np.ndarray) -> np.ndarray:
    """Return ``float [K, C]``: 1 where a client ``[K]`` is in a cluster 0, ..., C - 1."""
    return np.eye(labels.max() + 1)[labels]


def _principal_components(similarity: np.ndarray) -> np.ndarray:
    """Return the clients' coordinates ``[K, r]`` along their principal components."""
    centred = similarity - similarity.mean(0)
    centred = centred - centred.mean(1, keepdims=True)
    values, vectors = np.linalg.eigh(centred.astype(float))
    kept = values > ROUNDING * max(values[-1], np.finfo(float).tiny)
    return vectors[:, kept] * np.sqrt(values[kept])
