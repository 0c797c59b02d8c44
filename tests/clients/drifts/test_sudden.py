"""Sudden drift: a stretch of some clients' inputs changes, and nothing else."""

import numpy as np
import pytest

from fedreact.clients.drifts.sudden import drifting, with_drift
from fedreact.data.windows import Windows

RNG = np.random.default_rng(0)
X = RNG.uniform(size=(60, 4, 3)).astype(np.float32)
CLIENTS = [np.arange(0, 20), np.arange(39, 19, -1), np.arange(40, 60)]
"""The second client's samples arrive in the opposite order."""


def changed(before, after):
    """Which of them are no longer the same."""
    return np.flatnonzero((before != after).reshape(len(before), -1).any(1)).tolist()


def test_a_share_of_the_clients_drifts():
    which = drifting(20, 0.1, 3)
    assert which.sum() == 2
    assert which.tolist() == drifting(20, 0.1, 3).tolist()
    assert len({tuple(drifting(20, 0.1, seed)) for seed in range(5)}) > 1
    assert drifting(9, 0.2, 0).sum() == 2
    assert not drifting(9, 0.0, 0).any()


def test_only_the_stretch_of_the_chosen_clients_changes():
    before = X.copy()
    which = np.array([True, True, False])
    after = with_drift(X, CLIENTS, which, (0.4, 0.1), (10.0, 1000.0), 0)
    assert X.tobytes() == before.tobytes()
    assert changed(X, after) == [8, 9, 30, 31]
    assert after.dtype == X.dtype
    new = after[[8, 9, 30, 31]]
    assert 10 <= new.min() < 100
    assert 900 < new.max() <= 1000
    again = with_drift(X, CLIENTS, which, (0.4, 0.1), (10.0, 1000.0), 0)
    assert again.tobytes() == after.tobytes()
    # What a client draws does not depend on who drifts beside it.
    alone = with_drift(X, CLIENTS, np.array([False, True, False]), (0.4, 0.1), (10.0, 1000.0), 0)
    assert alone[30:32].tobytes() == after[30:32].tobytes()


@pytest.mark.parametrize(
    ("at", "samples"),
    [((0.4, 0.6), range(48, 60)), ((0.0, 0.001), [40]), ((0.7, 1.0), range(54, 60))],
)
def test_where_the_stretch_lies(at, samples):
    which = np.array([False, False, True])
    assert changed(X, with_drift(X, CLIENTS, which, at, (10.0, 1000.0), 0)) == list(samples)


def test_images_get_noise_and_stay_between_0_and_1():
    after = with_drift(X, CLIENTS, np.array([True, False, False]), (0.4, 0.6), None, 0)
    assert changed(X, after) == list(range(8, 20))
    assert after.min() == 0
    assert after.max() == 1
    moved = (after - X)[8:20]
    inside = (after[8:20] > 0) & (after[8:20] < 1)
    assert np.abs(moved[inside]).mean() > 0.1


def test_of_windows_the_steps_that_end_a_sample_change():
    # Two recordings of 30 steps; a client has the 26 windows of 5 steps of one.
    values = RNG.uniform(size=(60, 3)).astype(np.float32)
    starts = np.concatenate([np.arange(26), 30 + np.arange(26)])
    windows, before = Windows(values, starts, 5), values.copy()
    clients = [np.arange(26), np.arange(26, 52)]
    after = with_drift(windows, clients, np.array([False, True]), (0.5, 0.1), (10.0, 1000.0), 0)
    assert values.tobytes() == before.tobytes()
    assert isinstance(after, Windows)
    assert after.shape == windows.shape
    assert after.starts.tolist() == starts.tolist()
    # Samples 13, 14 and 15 of the client, whose windows end at steps 17, 18, 19 of its recording.
    assert changed(values, after.values) == [47, 48, 49]
    whole = changed(windows[np.arange(52)], after[np.arange(52)])
    assert whole == [26 + i for i in range(13, 20)]


def test_nobody_drifts_nothing_changes():
    after = with_drift(X, CLIENTS, np.zeros(3, bool), (0.4, 0.1), (10.0, 1000.0), 0)
    assert after.tobytes() == X.tobytes()
