"""Which universes come nearest to a paper's numbers, and whether that is more than chance.

The distance of a universe to a table is the root mean square of the differences between its cells
and the published ones. If one universe explains the whole paper, those that are nearest to one
table are also near to the others; a permutation test says whether they are nearer than any.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def distances(cells: Floats, published: Floats) -> Floats:
    """Compute the distances ``[n]`` of universes with cells ``[n, m]`` to published values ``[m]``.

    Cells without a published value (NaN) do not count.
    """
    known = ~np.isnan(published)
    squares: Floats = (cells[:, known] - published[known]) ** 2
    return np.sqrt(squares.mean(1))


def nearest(distance: Floats, n: int) -> npt.NDArray[np.intp]:
    """Return the places of the n nearest universes, nearest first."""
    return np.argsort(distance, kind="stable")[:n]


def shared(
    places: npt.NDArray[np.int64], some: npt.NDArray[np.intp], sizes: Sequence[int]
) -> Floats:
    """Find the value of each choice that is most frequent among some universes, less among all.

    Returns
    -------
    numpy.ndarray
        ``[k, 3]``: the value's place, its share among some, and its share among all.
    """
    shares = []
    for column, size in zip(places.T, sizes):
        among = np.bincount(column[some], minlength=size) / len(some)
        overall = np.bincount(column, minlength=size) / len(column)
        value = int((among - overall).argmax())
        shares.append((value, among[value], overall[value]))
    return np.array(shares)


def p_of_nearness(
    here: Floats, there: Floats, n: int, rng: np.random.Generator, permutations: int = 9999
) -> float:
    """Return the p-value that the n nearest to one table are nearer to another than any n are.

    Parameters
    ----------
    here, there
        Distances ``[N]`` of the same universes to both tables.
    n
        Number of universes that are called nearest.
    rng, permutations
        Generator and number of random sets of n universes.
    """
    observed = there[nearest(here, n)].mean()
    drawn = np.array([there[rng.permutation(len(there))[:n]].mean() for _ in range(permutations)])
    return float((1 + (drawn <= observed).sum()) / (1 + permutations))
