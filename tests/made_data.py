"""A dataset for the tests of partitioners, and clients of its owners."""

import numpy as np

from fedreact.clients.partitioners.owner import Owner
from fedreact.data.dataset import SeriesDataset


def dataset(y=None, **more):
    """Series of one step, all zero; 40 of two labels, if nothing else is said."""
    y = np.arange(40) % 2 if y is None else y
    X = np.zeros((len(y), 1, 1), np.float32)
    return SeriesDataset("made", X, np.ones(len(y), int), y, **more)


def deal_by_owner(owner, seed=0, *, trial=None, time=None, tested=None, **options):
    """Clients of owners of series of two labels, by options of the partitioner."""
    data = dataset(np.arange(len(owner)) % 2, owner=owner, trial=trial, time=time, tested=tested)
    return Owner(**options).deal(data, seed)
