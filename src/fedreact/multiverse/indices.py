"""Sobol' indices of the choices for an effect, from a sample of universes.

The first-order index of a choice is the share of the effect's variance that it explains by itself;
the total index that in which it has a part, interactions included (Sobol' 1993; Saltelli et al.
2010, Comput. Phys. Commun. 181:259).

A design for total indices would need more than a thousand runs for each of twenty choices. So they
are of a surrogate, a forest of randomised trees (Geurts et al. 2006) fitted to the sample, whose
out-of-bag R^2 says how far they can be trusted. First-order indices need no surrogate. Intervals
are of a bootstrap over universes.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.ensemble import ExtraTreesRegressor

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

LEVEL = 0.95
"""Level of intervals."""


def first_order(places: Places, effect: Floats) -> Floats:
    """Estimate the share of the variance that each choice explains by itself.

    Parameters
    ----------
    places
        ``int [n, k]``: universes, as :func:`fedreact.multiverse.universe.draw` gives them.
    effect
        ``[n]``: effect in each universe.

    Returns
    -------
    numpy.ndarray
        ``[k]``. The variance between the means of a choice's values, less what it would be if the
        choice did nothing (epsilon squared, Kelley 1935), so that chance alone gives 0 on average.
    """
    n, total = len(effect), ((effect - effect.mean()) ** 2).sum()
    if total == 0:
        return np.zeros(places.shape[1])
    shares = []
    for column in places.T:
        values, inverse = np.unique(column, return_inverse=True)
        size = np.bincount(inverse)
        means = np.bincount(inverse, effect) / size
        between = (size * (means - effect.mean()) ** 2).sum()
        within = total - between
        free = len(values) - 1
        shares.append((between - free * within / max(n - len(values), 1)) / total)
    return np.clip(np.array(shares), 0, 1)


def surrogate(
    places: Places, sizes: Sequence[int], effect: Floats, seed: int
) -> ExtraTreesRegressor:
    """Fit a forest to a sample; ``sizes`` are the numbers of values of the choices."""
    forest = ExtraTreesRegressor(
        100, min_samples_leaf=2, bootstrap=True, oob_score=True, random_state=seed, max_features=0.7
    )
    return forest.fit(one_hot(places, sizes), effect)


def one_hot(places: Places, sizes: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Code values of choices without an order: ``bool [n, sum(sizes)]``."""
    return np.concatenate(
        [column[:, None] == np.arange(size) for column, size in zip(places.T, sizes)], axis=1
    )


class Indices(NamedTuple):
    """First-order indices ``[k]``, total indices ``[k]``, and those of pairs ``[k, k]``."""

    first: Floats
    total: Floats
    pairs: Floats


def of_function(
    predict: Callable[[Places], Floats],
    sizes: Sequence[int],
    n: int,
    rng: np.random.Generator,
    *,
    with_pairs: bool = True,
) -> Indices:
    """Estimate first-order, total and pairwise indices of a function of choices, by sampling it.

    Parameters
    ----------
    predict
        ``predict(places [m, k]) -> [m]``.
    sizes
        Numbers of values of the choices, each equally likely.
    n
        Base sample; the function is asked for ``n (2 + k)`` universes, and with pairs for
        ``n k (k - 1) / 2`` more.
    rng
        Generator of the sample.
    with_pairs
        Whether to estimate pairs; they are zero without.

    Returns
    -------
    Indices
        First-order and total indices by Jansen's estimators (Saltelli et al. 2010, Table 2), and
        the share that two choices explain together beyond each alone (Saltelli 2002, eq. 18). The
        estimate for no choice at all is subtracted, so that a choice without effect has indices of
        exactly zero.
    """
    k = len(sizes)
    A, B = (np.stack([rng.integers(0, size, n) for size in sizes], axis=1) for _ in range(2))
    ya, yb = predict(A), predict(B)
    variance = np.concatenate([ya, yb]).var()
    if variance == 0:
        return Indices(np.zeros(k), np.zeros(k), np.zeros((k, k)))

    def changed(columns: list[int]) -> Floats:
        places = A.copy()
        places[:, columns] = B[:, columns]
        return predict(places)

    def closed(y: Floats) -> float:
        return float((((yb - ya) ** 2).mean() - ((yb - y) ** 2).mean()) / (2 * variance))

    alone = np.stack([changed([i]) for i in range(k)])
    first = np.array([closed(y) for y in alone])
    total = ((ya - alone) ** 2).mean(1) / (2 * variance)
    pairs = np.zeros((k, k))
    for i, j in combinations(range(k), 2) if with_pairs else ():
        pairs[i, j] = pairs[j, i] = closed(changed([i, j])) - first[i] - first[j]
    return Indices(first, total, pairs)


def indices(
    places: Places,
    sizes: Sequence[int],
    effect: Floats,
    seed: int,
    *,
    resamples: int = 200,
    n: int = 1024,
) -> tuple[pd.DataFrame, Floats, float]:
    """Estimate first-order and total indices with bootstrap intervals.

    Parameters
    ----------
    places, sizes, effect
        As for :func:`first_order` and :func:`surrogate`.
    seed
        Seed of forests, of their samples and of the bootstrap.
    resamples
        Samples of the bootstrap. Each total index costs a forest, so a tenth as many are drawn
        for it.
    n
        Base sample of the surrogate's indices.

    Returns
    -------
    tuple
        Columns ``first``, ``first_low``, ``first_high``, ``total``, ``total_low``, ``total_high``,
        a line a choice; ``[k, k]`` indices of pairs; and the surrogate's out-of-bag R^2.
    """
    rng = np.random.default_rng(seed)

    def of_forest(
        rows: npt.NDArray[np.int64], number: int, with_pairs: bool = False
    ) -> tuple[float, Indices]:
        forest = surrogate(places[rows], sizes, effect[rows], number)
        estimated = of_function(
            lambda universes: forest.predict(one_hot(universes, sizes)),
            sizes,
            n,
            np.random.default_rng(seed),
            with_pairs=with_pairs,
        )
        return float(forest.oob_score_), estimated

    everyone = np.arange(len(effect))
    fit, of_all = of_forest(everyone, seed, with_pairs=True)
    draws = [rng.integers(0, len(effect), len(effect)) for _ in range(resamples)]
    firsts = np.array([first_order(places[rows], effect[rows]) for rows in draws])
    totals = np.array([of_forest(rows, seed)[1].total for rows in draws[: max(resamples // 10, 2)]])
    ends = (1 - LEVEL) / 2, (1 + LEVEL) / 2
    first_low, first_high = np.quantile(firsts, ends, axis=0)
    total_low, total_high = np.quantile(totals, ends, axis=0)
    columns = {
        "first": first_order(places, effect),
        "first_low": first_low,
        "first_high": first_high,
        "total": of_all.total,
        "total_low": total_low,
        "total_high": total_high,
    }
    return pd.DataFrame(columns), of_all.pairs, fit
