"""Series that are the same, nearly the same, or share steps: what must not be in train and test.

Steps become numbers of 64 bits, and series polynomials of these, so that a stretch of one series is
compared with a stretch of another without its values. Equal values give equal numbers; unequal
values give equal numbers by a chance of about 2 to the power of -64.
"""

from collections.abc import Iterator

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.spread import spread_of_channels, spread_of_clients
from fedreact.data.windows import Windows
from fedreact.rng import generator

CHUNK = 2_000_000
"""Values that are looked at in one go."""

NEAR = 0.01
"""Distance of near copies: root mean square of the differences, in spreads of a client's channels.

In those of all clients, series of a client with small values would be near copies of each other."""

LOOKED_AT = 5_000
"""Test series, at most, for which near copies are looked for."""

DIMENSIONS = 8
"""Numbers to which series are projected before their distances are computed."""

CHANGES = 3
"""Changes of value in a stretch that two series share, below which it may be chance."""

FEW = 0.1
"""Share of series that share steps with the next one, below which it may be chance."""

BASE = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose powers weigh the steps of a series."""

INVERSE = np.uint64(pow(int(BASE), -1, 2**64))
"""Its inverse, modulo 2 to the power of 64."""

BEGIN, MOST = 8, 20_000_000
"""Steps by which the beginning of a series is recognised within others, in data of so many steps at
most."""


def keys(data: SeriesDataset) -> np.ndarray:
    """Return ``uint64 [N]``, the same number for the same series; 0 for series that are constant.

    Constant series are often alike without being copies.
    """
    out = np.empty(len(data.X), np.uint64)
    powers = _powers(data.task.steps)
    for where, steps, lengths in _blocks(data, np.arange(len(data.X))):
        hashed = _of_steps(steps)
        observed = np.arange(hashed.shape[1]) < lengths[:, None]
        still = ((hashed == hashed[:, :1]) | ~observed).all(1)
        out[where] = (hashed * powers * observed).sum(1, dtype=np.uint64) + lengths.astype(
            np.uint64
        )
        out[where[still]] = 0
    return out


def with_copy(keys_of_series: np.ndarray, among: np.ndarray, series: np.ndarray) -> np.ndarray:
    """Return those of ``series`` that have a copy ``among`` other ones, both indices."""
    known = np.unique(keys_of_series[among])
    mine = keys_of_series[series]
    return series[np.isin(mine, known[known > 0])]


def with_near_copy(data: SeriesDataset, among: np.ndarray, series: np.ndarray) -> np.ndarray:
    """Return those of ``series`` that differ from one ``among`` others by :data:`NEAR` at most.

    The unit is the spread of the channels of each series' client.
    The nearest series is looked for among random projections, so some near copies are missed; each
    that is returned is one. At most :data:`LOOKED_AT` series are looked at.
    """
    from scipy.spatial import cKDTree

    rng = generator(0, "near copies")
    if len(series) > LOOKED_AT:
        series = np.sort(rng.permutation(series)[:LOOKED_AT])
    channels, steps = data.task.channels, data.task.steps
    spread = _spread(data)
    own = _spread_of_series(data, series, spread)
    weights = rng.normal(size=(steps, channels, DIMENSIONS)).astype(np.float32) / spread[:, None]
    flat = weights.reshape(-1, DIMENSIONS)
    projected = {
        name: np.concatenate([x.reshape(len(x), -1) @ flat for _, x, _ in _blocks(data, which)])
        for name, which in (("there", among), ("here", series))
    }
    _, nearest = cKDTree(projected["there"]).query(projected["here"])
    other = among[nearest]
    near = np.zeros(len(series), bool)
    for at in np.array_split(np.arange(len(series)), 1 + len(series) * channels * steps // CHUNK):
        here, there = _values(data, series[at]), _values(data, other[at])
        apart = (((here - there) / own[at][:, None]) ** 2).mean((1, 2)) ** 0.5
        moves = (here != here[:, :1]).any((1, 2))
        near[at] = moves & (apart <= NEAR) & (data.lengths[series[at]] == data.lengths[other[at]])
    return series[near]


def neighbours(data: SeriesDataset) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find series that begin within another one, as windows of one recording do.

    Series of an owner are compared with the next one, in the order of the file and in that of time.
    If that finds nothing and values hardly repeat, all are compared with all, since windows may be
    stored in any order. Values must change :data:`CHANGES` times in what two series share, and
    :data:`FEW` of all series must share steps: fewer may do so by chance.

    Returns
    -------
    before, after, shared
        Indices of the two series ``int [P]``, and how many steps they share ``int [P]``.
    """
    if isinstance(data.X, Windows):
        order = np.argsort(data.X.starts, kind="stable")
        gap = np.diff(data.X.starts[order])
        hit = np.flatnonzero((gap > 0) & (gap < data.X.length - 1))
        return order[hit], order[hit + 1], data.X.length - gap[hit]
    n = len(data.X)
    owner = np.zeros(n, int) if data.owner is None else data.owner
    orders = [np.lexsort((np.arange(n), owner))]
    if data.time is not None:
        orders.append(np.lexsort((np.arange(n), data.time, owner)))
    for order in orders:
        pairs = _in_order(data, order, owner)
        if len(pairs[0]) >= FEW * n:
            return pairs
    pairs = _in_any_order(data)
    if len(pairs[0]) >= FEW * n:
        return pairs
    return pairs[0][:0], pairs[1][:0], pairs[2][:0]


Pairs = tuple[np.ndarray, np.ndarray, np.ndarray]
"""What :func:`neighbours` returns."""


def _in_order(data: SeriesDataset, order: np.ndarray, owner: np.ndarray) -> Pairs:
    """Compare each series with the next one in an order, if both are of one owner."""
    powers = _powers(data.task.steps + 1)
    found = []
    last: tuple[np.ndarray, ...] | None = None
    for where, steps, lengths in _blocks(data, order):
        hashed = _of_steps(steps)
        if last is not None:
            where, hashed, lengths = (
                np.concatenate([end, block]) for end, block in zip(last, (where, hashed, lengths))
            )
        found.append(_shared(where, hashed, lengths, owner, powers))
        last = where[-1:], hashed[-1:], lengths[-1:]
    before, after, shared = (np.concatenate(parts) for parts in zip(*found))
    return before, after, shared


def _in_any_order(data: SeriesDataset) -> Pairs:
    """Compare each series with all that begin as it goes on, if values hardly repeat."""
    n, T = len(data.X), data.task.steps
    every, begin = np.arange(n), min(BEGIN, T - 1)
    nothing = every[:0], every[:0], every[:0]
    if begin <= CHANGES or n * T > MOST:
        return nothing
    hashed = np.concatenate([_of_steps(steps) for _, steps, _ in _blocks(data, every)])
    some = hashed[: max(1, 100_000 // T)]
    if len(np.unique(some)) < some.size / 2:
        return nothing
    powers, back = _powers(T + 1), _powers(T + 1, INVERSE)
    sums = np.zeros((n, T + 1), np.uint64)
    np.cumsum(hashed * powers[:T], axis=1, out=sums[:, 1:])
    starts = (sums[:, begin:] - sums[:, :-begin]) * back[: T + 1 - begin]
    order = np.argsort(starts[:, 0], kind="stable")
    place = np.searchsorted(starts[order, 0], starts[:, 1:])
    other = order[np.minimum(place, n - 1)]
    series, shift = np.nonzero(starts[other, 0] == starts[:, 1:])
    other, shift = other[series, shift], shift + 1
    left = data.lengths[series] - shift
    fits = (other != series) & (left >= begin) & (left <= data.lengths[other])
    series, other, shift, left = series[fits], other[fits], shift[fits], left[fits]
    ours = (sums[series, data.lengths[series]] - sums[series, shift]) * back[shift]
    same = ours == sums[other, left]
    series, first = np.unique(series[same], return_index=True)
    return series, other[same][first], left[same][first]


def _shared(
    where: np.ndarray,
    hashed: np.ndarray,
    lengths: np.ndarray,
    owner: np.ndarray,
    powers: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compare each series of a block with the next one."""
    n, steps = hashed.shape
    sums = np.zeros((n, steps + 1), np.uint64)
    np.cumsum(hashed * powers[:steps], axis=1, out=sums[:, 1:])
    same_owner = owner[where[:-1]] == owner[where[1:]]
    pair, shift = np.nonzero((hashed[:-1] == hashed[1:, :1]) & same_owner[:, None])
    left = lengths[pair] - shift  # steps that would be shared
    fits = (shift > 0) & (left > CHANGES) & (left <= lengths[pair + 1])
    pair, shift, left = pair[fits], shift[fits], left[fits]
    ours = sums[pair, lengths[pair]] - sums[pair, shift]
    same = ours == sums[pair + 1, left] * powers[shift]
    changes = np.zeros((n, steps), np.int64)
    np.cumsum(hashed[:, 1:] != hashed[:, :-1], axis=1, out=changes[:, 1:])
    same &= changes[pair, lengths[pair] - 1] - changes[pair, shift] >= CHANGES
    pair, left = pair[same], left[same]
    pair, first = np.unique(pair, return_index=True)  # the smallest shift, so the most steps
    return where[pair], where[pair + 1], left[first]


def _powers(n: int, base: np.uint64 = BASE) -> np.ndarray:
    """Return powers 0 to n - 1, modulo 2 to the power of 64."""
    powers = np.ones(n, np.uint64)
    powers[1:] = base
    return np.multiply.accumulate(powers)


def _of_steps(steps: np.ndarray) -> np.ndarray:
    """Return ``uint64 [n, T]``: a number for the values of all channels in a step."""
    bits = np.ascontiguousarray(steps + np.float32(0)).view(np.uint32).astype(np.uint64)
    rng = np.random.default_rng(0)
    odd = rng.integers(0, 2**63, size=steps.shape[2], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    mixed = (bits + np.uint64(1)) * odd
    mixed ^= mixed >> np.uint64(29)
    return (mixed * BASE).sum(axis=2, dtype=np.uint64)


def _blocks(
    data: SeriesDataset, order: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield indices, values ``[n, T, channels]`` and lengths of some series at a time."""
    size = data.task.channels * data.task.steps
    for where in np.array_split(order, 1 + len(order) * size // CHUNK):
        if len(where):
            yield where, _values(data, where), data.lengths[where]


def _values(data: SeriesDataset, which: np.ndarray) -> np.ndarray:
    """Return ``float32 [n, T, channels]``."""
    if isinstance(data.X, Windows):
        return data.X[which]
    return np.ascontiguousarray(data.X[which].transpose(0, 2, 1))


def _spread(data: SeriesDataset) -> np.ndarray:
    """Return the standard deviation of each channel ``[C]``; 1 for one that does not change."""
    spread = spread_of_channels(data)
    return np.where(spread > 0, spread, 1).astype(np.float32)


def _spread_of_series(data: SeriesDataset, series: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the standard deviations of each series' client ``[n, C]``.

    Those of all clients stand in where the data names none, or a channel of one does not change.
    """
    if data.owner is None:
        return np.broadcast_to(spread, (len(series), len(spread)))
    own = spread_of_clients(data, data.owner)[np.searchsorted(np.unique(data.owner), data.owner)]
    return np.where(np.isnan(own), spread, own)[series].astype(np.float32)
