"""Copies, near copies and shared steps, by hand and by a slow way."""

import os
import re
from dataclasses import replace

import numpy as np
import pytest
from helpers import ROOT
from made_data import dataset

from fedreact import options, plugins
from fedreact.clients import checks as of_clients
from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.partitioners.owner import Owner
from fedreact.data import checks, copies, prepare
from fedreact.data.dataset import SeriesDataset
from fedreact.data.files import locate, mirrors
from fedreact.data.registry import load_registry, registries
from fedreact.data.windows import Windows

RNG = np.random.default_rng(0)


def data_of(X, y=None, **more):
    """Series of full length, of two labels."""
    y = np.arange(len(X)) % 2 if y is None else y
    X = np.asarray(X, np.float32)
    return SeriesDataset("made", X, np.full(len(X), X.shape[-1]), y, **more)


def split(train, test, n=1):
    """A partition of one client, or of several with the same sets."""
    empty = np.zeros((1, 0), dtype=int)
    sets = [np.array(train)] * n, [np.array(test)] * n
    return Partition(np.zeros(n, int), *sets, empty, np.zeros((1, 1, 0)), NOTHING)


def test_copies_by_hand():
    X = np.array([[[1, 2, 3]], [[1, 2, 4]], [[1, 2, 3]], [[5, 5, 5]], [[5, 5, 5]], [[-0.0, 0, 1]]])
    keys = copies.keys(data_of(X))
    assert keys[0] == keys[2] != keys[1]
    assert keys[3] == keys[4] == 0  # constant series are no copies
    assert keys[5] == copies.keys(data_of([[[0, 0, 1]]]))[0]
    assert copies.with_copy(keys, np.array([0, 3]), np.array([1, 2, 4])).tolist() == [2]


def test_copies_are_those_that_numpy_finds():
    X = RNG.integers(0, 2, size=(300, 2, 4))
    keys = copies.keys(data_of(X))
    flat = X.transpose(0, 2, 1)
    moving = (flat != flat[:, :1]).any((1, 2))
    for i in range(300):
        same = (X[i] == X).all((1, 2))
        assert ((keys == keys[i]) == same)[moving].all() or not moving[i]


def test_the_length_of_a_padded_series_counts():
    X = np.array([[[1, 2, 0]], [[1, 2, 0]]], np.float32)
    data = SeriesDataset("made", X, np.array([2, 3]), np.array([0, 1]))
    assert copies.keys(data)[0] != copies.keys(data)[1]


@pytest.mark.parametrize(("noise", "hit"), [(0.001, True), (0.1, False)])
def test_near_copies_by_hand(noise, hit):
    X = RNG.normal(size=(60, 2, 20))
    twice = np.concatenate([X, X + noise * RNG.normal(size=X.shape)])
    near = copies.with_near_copy(data_of(twice), np.arange(60), np.arange(60, 120))
    assert (len(near) == 60) == hit
    assert hit or len(near) == 0


def test_series_of_a_client_with_small_values_are_no_near_copies():
    """The second client's values are a thousandth of the first one's, and differ as much."""
    X = RNG.normal(size=(80, 1, 20))
    X[40:] /= 1000
    data = replace(data_of(X), owner=np.repeat([0, 1], 40))
    train, test = np.arange(0, 80, 2), np.arange(1, 80, 2)
    assert len(copies.with_near_copy(data, train, test)) == 0
    X[1::2] = X[::2]
    assert len(copies.with_near_copy(replace(data, X=X.astype(np.float32)), train, test)) == 40


def test_neighbours_share_steps():
    """Windows of 10 steps, a new one each 4 steps, of two owners."""
    recordings = RNG.normal(size=(2, 50, 3))
    X = np.stack([r[s : s + 10].T for r in recordings for s in range(0, 40, 4)])
    data = data_of(X, owner=np.repeat([0, 1], 10))
    before, after, shared = copies.neighbours(data)
    assert before.tolist() == [*range(9), *range(10, 19)]
    assert (after == before + 1).all()
    assert set(shared) == {6}
    steps = np.concatenate(recordings).astype(np.float32)
    starts = np.concatenate([np.arange(0, 40, 4), 50 + np.arange(0, 40, 4)])
    windows = SeriesDataset("w", Windows(steps, starts, 10), np.full(20, 10), np.arange(20) % 2)
    there = copies.neighbours(windows)
    assert there[0].tolist() == before.tolist()
    assert set(there[2]) == {6}


def test_clients_at_the_same_time_are_told_the_gap():
    recordings = RNG.normal(size=(3, 80, 2))
    X = np.stack([r[s : s + 10].T for r in recordings for s in range(0, 70, 5)])
    data = data_of(X, owner=np.repeat([0, 1, 2], 14), time=np.tile(np.arange(14.0), 3))
    (found,) = of_clients.leaks(Owner(test_share=0.25).deal(data, 0), data)
    assert "share up to 5 of 10 steps" in found
    assert "split: chronological with gap: 1" in found
    mended = Owner(test_share=0.25, split="chronological", gap=1).deal(data, 0)
    assert of_clients.leaks(mended, data) == []


def test_what_is_equal_by_chance_is_not_reported():
    for X in (RNG.integers(0, 2, (400, 1, 8)), RNG.normal(size=(400, 2, 8))):
        assert len(copies.neighbours(data_of(X))[0]) == 0
    assert of_clients.leaks(split([0, 1], [2]), dataset()) == []  # series of one step, all zero


def test_windows_in_any_order_are_found():
    steps = RNG.normal(size=(400, 2))
    X = np.stack([steps[s : s + 20].T for s in range(0, 380, 10)])
    order = RNG.permutation(len(X))
    data = data_of(X[order])
    before, after, shared = copies.neighbours(data)
    assert (order[after] == order[before] + 1).all()
    assert len(before) == len(X) - 1
    assert set(shared) == {10}
    (found,) = of_clients.leaks(split(np.arange(0, 38, 2), np.arange(1, 38, 2)), data)
    assert "share up to 10 of 20 steps" in found
    assert "chronological" not in found


@pytest.mark.parametrize("name", ["air-writing-sim", "eeg-sim", "pendigits", "wisdm", "bonn"])
def test_the_projects_own_data_raises_no_false_alarm(name, tmp_path):
    """Their series are apart: no copies, and no steps that two series share."""
    registry = load_registry(*registries(ROOT / "config"))
    cls = plugins.load("data/sources", name, "SOURCE")
    source = options.check(cls, registry[name].scales["smoke"], name)
    entry, mirror = source.wanted(registry[name]), os.environ.get("FEDREACT_DATA_MIRROR")
    if entry.files and not locate(entry, tmp_path, mirrors(mirror)):
        pytest.skip("needs FEDREACT_DATA_MIRROR")
    where = mirrors(mirror)
    data = prepare.read(source, registry[name], tmp_path, where, [])
    owner = np.zeros(len(data.X), int) if data.owner is None else data.owner
    drawn = Owner(test_share=0.2, min_samples=8).deal(replace(data, owner=owner), 0)
    assert of_clients.leaks(drawn, data) == []


def test_each_leak_is_one_line():
    X = RNG.normal(size=(40, 2, 20))
    data = data_of(np.concatenate([X, X]))
    (found,) = of_clients.leaks(split(np.arange(40), np.arange(30, 50)), data)
    assert found.startswith("20 of 20 test series are copies of train series")
    data = data_of(np.concatenate([X, X + 0.001]))
    (found,) = of_clients.leaks(split(np.arange(40), np.arange(40, 50)), data)
    assert found.startswith("10 of 10 test series differ from a train series by less than 1%")
    steps = RNG.normal(size=(120, 2))
    data = data_of(np.stack([steps[s : s + 20].T for s in range(0, 100, 5)]))
    (found,) = of_clients.leaks(split(np.arange(0, 20, 2), np.arange(1, 20, 2)), data)
    assert "10 of 10 test series share up to 15 of 20 steps" in found
    assert "split: chronological with gap: 3" in found
    # With that gap, nothing is shared.
    assert of_clients.leaks(split(np.arange(12), np.arange(15, 20)), data) == []


def test_a_trial_or_a_gap_mends_shared_steps():
    steps = RNG.normal(size=(4, 60, 2))
    X = np.stack([r[s : s + 20].T for r in steps for s in range(0, 40, 5)])
    trial, owner = np.repeat(np.arange(4), 8), np.zeros(32, int)
    with_trials = data_of(X, owner=owner, trial=trial)
    assert of_clients.leaks(Owner(test_share=0.25).deal(with_trials, 0), with_trials) == []
    without = data_of(X, owner=owner)
    assert len(of_clients.leaks(Owner(test_share=0.25).deal(without, 0), without)) == 1


def test_a_forecast_that_is_trained_on_later_series():
    y = RNG.normal(size=20).astype(np.float32)
    data = data_of(RNG.normal(size=(20, 1, 5)), y, time=np.arange(20.0))
    (found,) = of_clients.leaks(split([0, 1, 19], [5, 6]), data)
    assert found.startswith("1 of 1 clients train on series that are later")
    assert of_clients.leaks(split([0, 1, 4], [5, 6]), data) == []
    # Labels may be tested at any time.
    labelled = data_of(RNG.normal(size=(20, 1, 5)), time=np.arange(20.0))
    assert of_clients.leaks(split([0, 1, 19], [5, 6]), labelled) == []


def test_labels_that_follow_from_clients():
    drawn = Partition(
        np.zeros(4, int),
        [np.arange(10 * k, 10 * k + 9) for k in range(4)],
        [np.array([10 * k + 9]) for k in range(4)],
        np.zeros((1, 0), int),
        np.zeros((1, 1, 0)),
        NOTHING,
    )
    (found,) = of_clients.findings(drawn, np.arange(40) // 10)
    assert (
        "most frequent label is right for 100% of its series, the most frequent of all for 25%"
        in found
    )
    mixed = np.arange(40) // 10
    mixed[::3] = 0
    assert of_clients.findings(drawn, mixed) != [found]


def test_units_that_differ_between_clients():
    X, owner = RNG.normal(size=(50, 2, 30)), np.arange(50) // 10
    names = np.array(["ann", "bob", "cy", "dee", "eve"])
    more = {"owner": owner, "owner_names": names, "channel_names": np.array(["acc", "hr"])}
    assert checks.findings(data_of(X, **more)) == []
    X[owner == 3, 1] *= 1000
    (found,) = checks._units(data_of(X, **more))
    assert "1 of 5 clients" in found
    assert re.search(r"channel hr of client dee spreads (9\d\d|1,\d\d\d) times", found)


def test_numbers_of_an_odd_size():
    X = RNG.normal(size=(40, 2, 5)) * 1e6
    (found,) = checks.findings(data_of(X))
    assert "models train badly on numbers of this size" in found
