"""Means and products of clients' samples, and the ridge regression of all that they give exactly.

Chan, Golub and LeVeque 1983, "Algorithms for computing the sample variance". Of two clients with a
and b samples, n = a + b, with means m_a and m_b and centred products P_k = sum (x - m_k)(x - m_k)',

    m = (a m_a + b m_b) / n,    P = P_a + P_b + a b / n (m_b - m_a)(m_b - m_a)'
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Moments:
    """Means and centred products of samples x ``[m]`` with targets y ``[c]``, in float64.

    Attributes
    ----------
    n
        Number of samples.
    x, y
        Means ``[m]``, ``[c]``.
    xx, xy, yy
        Products ``[m, m]``, ``[m, c]``, and squares ``[c]``.
    """

    n: float
    x: np.ndarray
    y: np.ndarray
    xx: np.ndarray
    xy: np.ndarray
    yy: np.ndarray


def moments(X: np.ndarray, Y: np.ndarray) -> Moments:
    """Compute the moments of samples ``X [n, m]``, ``Y [n, c]``."""
    x, y = X.mean(0, dtype=float), Y.mean(0, dtype=float)
    X, Y = X - x, Y - y
    return Moments(len(X), x, y, X.T @ X, X.T @ Y, (Y**2).sum(0))


def pooled(a: Moments, b: Moments) -> Moments:
    """Return the moments of the samples of both."""
    n = a.n + b.n
    x, y = b.x - a.x, b.y - a.y
    weight = a.n * b.n / n
    return Moments(
        n,
        a.x + b.n / n * x,
        a.y + b.n / n * y,
        a.xx + b.xx + weight * np.outer(x, x),
        a.xy + b.xy + weight * np.outer(x, y),
        a.yy + b.yy + weight * y**2,
    )


def ridge(of: Moments, penalties: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights ``[c, m]`` and intercepts ``[c]`` of a ridge regression.

    Features are standardised. The penalty is the one with the smallest generalised cross-validation
    error (Golub, Heath and Wahba 1979), n RSS / (n - degrees of freedom)^2.
    """
    spread = np.sqrt(np.diag(of.xx) / of.n)
    spread[spread < 1e-9] = np.inf  # a constant feature has weight 0
    values, vectors = np.linalg.eigh(of.xx / np.outer(spread, spread))
    values = np.maximum(values, 0)
    rotated = vectors.T @ (of.xy / spread[:, None])
    best, least = rotated, np.inf
    for penalty in penalties:
        solved = rotated / (values + penalty)[:, None]
        rss = of.yy - 2 * (solved * rotated).sum(0) + (values[:, None] * solved**2).sum(0)
        freedom = 1 + (values / (values + penalty)).sum()
        error = max(rss.sum(), 0) * of.n / max(of.n - freedom, 1e-9) ** 2
        if error < least:
            best, least = solved, error
    weights = (vectors @ best / spread[:, None]).T
    return weights, of.y - weights @ of.x
