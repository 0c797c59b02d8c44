"""Test series that directly follow or precede a train series of the same recording."""

import numpy as np

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.owner import has_labels
from fedreact.data import copies
from fedreact.data.dataset import SeriesDataset

SHARE = 0.5
"""Share of the test series above which it is reported."""
REGULAR = 0.5
"""Share of neighbours in time that must be equally far apart, else series are no windows."""


def findings(drawn: Partition, data: SeriesDataset) -> list[str]:
    """Return a sentence if most test series have a train series as their neighbour in time.

    Windows of one recording are alike, the more so the closer they are. Windows that share steps
    are not reported, since :func:`fedreact.clients.checks.leaks` does so.
    """
    before, after = neighbours(data)
    train, test = (np.unique(np.concatenate(sets)) for sets in (drawn.train, drawn.test))
    known = np.isin(before, train) & np.isin(after, test)
    follows = np.isin(before, test) & np.isin(after, train)
    close = np.union1d(after[known], before[follows])
    if len(close) <= SHARE * len(test) or len(copies.neighbours(data)[0]):
        return []
    return [
        f"{len(close)} of {len(test)} test series directly follow or precede a train series in "
        "time. Neighbours are alike, so scores hold for recordings that training has seen; for "
        "new ones, name what series are cut from (fedreact import --trial), or use split: "
        f"{'chronological-by-label' if has_labels(data) else 'chronological'}."
    ]


def neighbours(data: SeriesDataset) -> tuple[np.ndarray, np.ndarray]:
    """Return indices of series, and of those that directly follow them, ``int [P]`` each.

    Both are of one owner and trial. There are none if times are unknown or irregular.
    """
    n = len(data.X)
    nobody = np.zeros(0, int)
    if data.time is None:
        return nobody, nobody
    owner = np.zeros(n, int) if data.owner is None else data.owner
    trial = np.zeros(n, int) if data.trial is None else data.trial
    order = np.lexsort((data.time, trial, owner))
    before, after = order[:-1], order[1:]
    same = (owner[before] == owner[after]) & (trial[before] == trial[after])
    before, after = before[same], after[same]
    apart = data.time[after] - data.time[before]
    if not len(apart):
        return nobody, nobody
    usual = np.median(apart)
    close = np.abs(apart - usual) <= 0.01 * usual
    if usual <= 0 or close.mean() < REGULAR:
        return nobody, nobody
    return before[close], after[close]
