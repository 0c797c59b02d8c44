"""A client of each owner of series: of each vehicle, person, writer (ICLR, section 4.2)."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.partitioners.pools import check_sizes
from fedreact.errors import UserError
from fedreact.options import Count, InnerShare, Natural
from fedreact.rng import generator

Split = Literal["random", "chronological"]
SPLITS = get_args(Split)


@dataclass(frozen=True)
class Owner:
    """Clients that are who the series are of; no clusters are known.

    Attributes
    ----------
    clients
        How many there should be; ``null``: whatever the data has.
    split
        Which series are for testing: a random share of each client's, or its last ones.
    test_share
        Share of the test set.
    gap
        Series (or trials) left out before a chronological test set, as many as overlap with it.
    """

    clients: Count | None = None
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
        drawn = partition_by_owner(
            *(data.owner, seed, self.split, self.test_share, self.gap, data.trial, data.time)
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
) -> Partition:
    """Make a client of each owner, e.g. vehicle; no clusters are known (ICLR, section 4.2).

    Parameters
    ----------
    owner
        ``int [N]``.
    split
        ``random``: a share of each client's series is its test set (the paper's 90/10 split).
        ``chronological``: the last ones are.
    gap
        Of the ``chronological`` split: series before the test set that are left out, as many as
        overlap with it in time; or trials, where series belong to some.
    trial
        ``int [N]``: series of a trial stay together. ``None``: each is a trial of its own.
    time
        ``[N]``: the order of an owner's series; ``None``: as they stand.
    """
    if split not in SPLITS:
        raise UserError(f"partition: split {split!r} is unknown; known: {', '.join(SPLITS)}")
    check_sizes([1], 2, test_share)
    if gap < 0:
        raise UserError(f"partition: gap is {gap}; it must be 0 or more")
    rng, train, test = generator(seed, "partition"), [], []
    for who in np.unique(owner):
        mine = np.flatnonzero(owner == who)
        if time is not None:
            mine = mine[np.argsort(time[mine], kind="stable")]
        units = mine if trial is None else _in_order(trial[mine])
        n_test = max(1, round(test_share * len(units)))
        if split == "random":
            units = rng.permutation(units)
        left_out = gap if split == "chronological" else 0
        if len(units) < n_test + left_out + 2:
            what = "series" if trial is None else "trials"
            raise UserError(
                f"partition: client {who} (counted from 0 in sorted order) has {len(units)} "
                f"{what}, too few for {n_test} to test and {left_out} to leave out"
            )
        parts = units[: len(units) - n_test - left_out], units[len(units) - n_test :]
        for kept, part in zip((train, test), parts):
            kept.append(np.sort(part) if trial is None else mine[np.isin(trial[mine], part)])
    clusters = np.zeros(len(train), dtype=np.int64)
    counts, distributions = np.zeros((1, 0), dtype=np.int64), np.zeros((1, 1, 0))
    return Partition(clusters, train, test, counts, distributions, NOTHING)


def _in_order(trial):
    """Distinct trials in the order in which they come first."""
    _, first = np.unique(trial, return_index=True)
    return trial[np.sort(first)]


PARTITIONER = Owner
