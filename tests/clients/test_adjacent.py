"""Windows side by side in time, of which one is trained on and the other is tested."""

import numpy as np
import pytest

from fedreact.clients import adjacent
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset

RNG = np.random.default_rng(0)


def windows(n=20, trial=None, time=None):
    """Series of two owners, one every five seconds."""
    return SeriesDataset(
        "toy",
        RNG.normal(size=(2 * n, 1, 8)).astype(np.float32),
        np.full(2 * n, 8),
        np.arange(2 * n) % 2,
        owner=np.repeat([0, 1], n),
        trial=trial,
        time=np.tile(5.0 * np.arange(n), 2) if time is None else time,
    )


def drawn(test):
    """Return a partition of windows in which each owner is tested on some of its 20 series."""
    train = np.setdiff1d(np.arange(20), test)
    return Partition(
        np.zeros(2, int),
        [train, 20 + train],
        [np.array(test), 20 + np.array(test)],
        np.zeros((1, 0), int),
        np.zeros((1, 1, 0)),
        np.zeros(0, int),
    )


ALTERNATE = list(range(0, 20, 4))


def test_a_random_split_of_windows_is_reported():
    (sentence,) = adjacent.findings(drawn(ALTERNATE), windows())
    assert sentence.startswith("10 of 10 test series directly follow or precede a train series")


def test_a_chronological_split_is_not():
    assert adjacent.findings(drawn([16, 17, 18, 19]), windows()) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"trial": np.arange(40)},  # each window a trial of its own: not cut from one recording
        {"time": np.tile(np.cumsum(RNG.exponential(size=20)), 2)},  # irregular: no windows
        {"time": np.zeros(40)},
    ],
)
def test_series_that_are_not_cut_from_one_recording_are_not(changes):
    assert adjacent.findings(drawn(ALTERNATE), windows(**changes)) == []


def test_windows_that_overlap_have_a_finding_of_their_own():
    recording = RNG.normal(size=(2, 8 + 4 * 19)).astype(np.float32)
    data = windows()
    for k in range(20):
        data.X[k, 0] = recording[0, 4 * k : 4 * k + 8]
        data.X[20 + k, 0] = recording[1, 4 * k : 4 * k + 8]
    assert adjacent.findings(drawn(ALTERNATE), data) == []


def test_neighbours_are_of_one_owner():
    before, after = adjacent.neighbours(windows(3))
    assert list(zip(before, after)) == [(0, 1), (1, 2), (3, 4), (4, 5)]
