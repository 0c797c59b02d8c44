"""One client for each owner of series: a vehicle, a person, a writer (ICLR, section 4.2)."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.partitioners.pools import check_sizes
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare, Natural
from fedreact.rng import generator

Split = Literal["random", "chronological", "source"]
SPLITS = get_args(Split)


@dataclass(frozen=True)
class Owner:
    """Owners as clients, without known clusters.

    Attributes
    ----------
    clients
        Expected number of clients; ``null``: as many as the data has.
    owners
        Number of owners to use, the first ones; ``null``: all.
    parts
        Clients that each owner is cut into, chronologically where time is known, else at random.
    split
        Test series of a client: a random share, its last ones, or those that the source marks.
    test_share
        Share of the test set.
    gap
        Series (or trials) left out before a chronological test set because they overlap with it.
    """

    clients: Count | None = None
    owners: Count | None = None
    parts: Count = 1
    split: Split = "random"
    test_share: InnerShare = 0.1
    gap: Natural = 0

    @property
    def n_clients(self):
        """As stated."""
        return self.clients

    def deal(self, data, seed):
        """Split each owner's series."""
        if data.owner is None:
            raise UserError(f"partition: {data.name} does not say whose each series is")
        if self.split == "source" and data.tested is None:
            raise UserError(f"partition: {data.name} does not say which series are for testing")
        drawn = partition_by_owner(
            *(data.owner, seed, self.split, self.test_share, self.gap, data.trial, data.time),
            *(data.tested, self.owners, self.parts),
        )
        if self.clients not in (None, len(drawn.train)):
            raise UserError(
                f"partition: {data.name} has {len(drawn.train)} clients, not {self.clients}"
            )
        return drawn


def partition_by_owner(
    owner: np.ndarray,
    seed: int,
    split: str = "random",
    test_share: float = 0.1,
    gap: int = 0,
    trial: np.ndarray | None = None,
    time: np.ndarray | None = None,
    tested: np.ndarray | None = None,
    owners: int | None = None,
    parts: int = 1,
) -> Partition:
    """Make a client of each owner, e.g. vehicle; no clusters are known (ICLR, section 4.2).

    Parameters
    ----------
    owner
        ``int [N]``.
    split
        ``random``: a share of each client's series is its test set (the paper's 90/10 split).
        ``chronological``: the last ones are. ``source``: those in ``tested``.
    gap
        Series (or trials, where series belong to trials) left out before the test set of the
        ``chronological`` split, as many as overlap with it in time.
    trial
        ``int [N]``: series of a trial stay together. ``None``: each is a trial of its own.
    time
        ``[N]``: the order of an owner's series; ``None``: as they stand.
    tested
        ``bool [N]``: of the split ``source``.
    owners
        The first so many, in sorted order; ``None``: all.
    parts
        Clients of each owner, who share out its series, and trials, in the order of time if it is
        given, else at random.
    """
    if split not in SPLITS:
        raise UserError(f"partition: split {split!r} is unknown; known: {', '.join(SPLITS)}")
    check_sizes([1], 2, test_share)
    if gap < 0:
        raise UserError(f"partition: gap is {gap}; it must be 0 or more")
    who = np.unique(owner)
    if owners is not None and owners > len(who):
        raise UserError(f"partition: the data has {len(who)} owners, not {owners}")
    rng, train, test = generator(seed, "partition"), [], []
    for mine in (np.flatnonzero(owner == one) for one in who[:owners]):
        if time is not None:
            mine = mine[np.argsort(time[mine], kind="stable")]
        whose = f"client {len(train)} (counted from 0 in sorted order)"
        if split == "source":
            sides = [_shared_out(of, parts, trial, time, rng) for of in _sides(mine, tested, whose)]
            for kept, shares in zip((train, test), sides):
                kept.extend(np.sort(share) for share in shares)
            continue
        for part in _shared_out(mine, parts, trial, time, rng):
            whose = f"client {len(train)} (counted from 0 in sorted order)"
            divided = _divided(part, trial, split, test_share, gap, rng, whose)
            for kept, side in zip((train, test), divided):
                kept.append(np.sort(side) if trial is None else side)
    clusters = np.zeros(len(train), dtype=np.int64)
    counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
    return Partition(clusters, train, test, counts, distributions, NOTHING)


def _sides(mine, tested, whose):
    """Train and test series of an owner, as its source has them."""
    sides = mine[~tested[mine]], mine[tested[mine]]
    if not all(map(len, sides)):
        raise UserError(f"partition: {whose} has no series to train on, or none to test")
    return sides


def _shared_out(mine, parts, trial, time, rng):
    """An owner's series, shared out to so many clients; trials stay whole."""
    if parts == 1:
        return [mine]
    units = mine if trial is None else _in_order(trial[mine])
    if time is None:
        units = rng.permutation(units)
    shares = np.array_split(units, parts)
    return shares if trial is None else [mine[np.isin(trial[mine], share)] for share in shares]


def _divided(mine, trial, split, test_share, gap, rng, whose):
    """Train and test series of a client whose series are in order."""
    units = mine if trial is None else _in_order(trial[mine])
    n_test = max(1, round(test_share * len(units)))
    if split == "random":
        units = rng.permutation(units)
    left_out = gap if split == "chronological" else 0
    if len(units) < n_test + left_out + 2:
        what = "series" if trial is None else "trials"
        raise UserError(
            f"partition: {whose} has {len(units)} {what}, too few for {n_test} to test and "
            f"{left_out} to leave out"
        )
    sides = units[: len(units) - n_test - left_out], units[len(units) - n_test :]
    return sides if trial is None else [mine[np.isin(trial[mine], side)] for side in sides]


def _in_order(trial):
    """Distinct trials in the order in which they come first."""
    _, first = np.unique(trial, return_index=True)
    return trial[np.sort(first)]


PARTITIONER = Owner
