"""A user's own dataset: series, labels, clients and trials; more arrays are in test_own_arrays."""

import numpy as np
import pytest
from helpers import make_plan
from made_data import deal_by_owner

from fedreact.data import own
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError


def write(path, **changes):
    arrays = {"X": np.random.default_rng(0).normal(size=(6, 2, 5)), "y": np.arange(6) % 2}
    arrays |= changes
    np.savez(path, **{name: a for name, a in arrays.items() if a is not None})
    return path


def test_labels_clients_and_trials_are_numbered_in_order(tmp_path):
    file = write(
        tmp_path / "mine.npz",
        y=np.array(["up", "down", "up", "left", "up", "up"]),
        client=np.array([7, 7, 3, 3, 3, 9]),
        lengths=np.full(6, 5, np.int8),
    )
    data = own.read(file, "mine")
    assert data.y.tolist() == [2, 0, 2, 1, 2, 2]
    assert data.owner.tolist() == [1, 1, 0, 0, 0, 2]
    assert data.X.dtype == np.float32
    assert data.trial is None
    assert data.task.kind == "classification"
    assert own.read(write(file, y=np.linspace(0, 1, 6)), "mine").task.kind == "regression"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((6, 5))}, r"X must be numbers \[N, channels, T\]"),
        ({"X": np.zeros((6, 2, 5), complex)}, "X must be numbers"),
        ({"X": np.full((6, 2, 5), np.nan)}, "series 0 holds NaN"),
        ({"X": np.full((6, 2, 5), 1e300)}, "series 0 holds NaN or infinite"),
        ({"y": None}, "lacks y"),
        ({"y": np.zeros(6, int)}, "one label only"),
        ({"y": np.arange(5)}, r"y must be \[6\]"),
        ({"y": np.full(6, np.nan)}, "target of series 0"),
        ({"y": np.zeros(6, complex)}, "y must be labels"),
        ({"client": np.zeros(6)}, "client must be integers or strings"),
        ({"clients": np.zeros(6, int)}, "unknown array clients; known: .*client"),
        ({"lengths": np.zeros(6, int)}, "lengths must lie in"),
        ({"lengths": np.ones(6)}, "lengths must be integers"),
    ],
)
def test_wrong_datasets_are_one_line(tmp_path, changes, words):
    file = write(tmp_path / "mine.npz", **changes)
    with pytest.raises(UserError, match=words) as caught:
        own.read(file, "mine")
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_trials_of_clients_are_not_split():
    owner, trial = np.repeat([0, 1], 40), np.repeat(np.arange(20), 4)
    for split in ("random", "chronological"):
        p = deal_by_owner(owner, trial=trial, split=split, test_share=0.2, gap=1)
        for train, test in zip(p.train, p.test):
            assert len(test) == 8
            assert not set(trial[train]) & set(trial[test])
    assert trial[p.train[1]].max() == 16  # trials 18 and 19 are the test set, 17 is left out


def test_a_name_that_is_not_allowed_is_said_to_be_so(project):
    (project / "data/own").mkdir(parents=True)
    write(project / "data/own/My_Data.npz")
    with pytest.raises(
        UserError, match=r"'My_Data' is unknown; .* \(rename My_Data\.npz: names are"
    ):
        make_plan(dataset="My_Data")
    assert own.misnamed(project / "data") == ["My_Data.npz"]


def test_names_stay(tmp_path):
    who = np.array(["bob", "bob", "ann", "ann", "ann", "cy"])
    channels = np.array(["hr", "acc"])
    file = write(
        tmp_path / "mine.npz", y=np.array(list("nuduun")), client=who, channel_names=channels
    )
    data = own.read(file, "mine")
    assert data.owner_names.tolist() == ["ann", "bob", "cy"]
    assert [data.owner_name(k) for k in data.owner] == who.tolist()
    assert data.label_names.tolist() == ["d", "n", "u"]
    assert data.channel_name(0) == "hr"
    data.save(tmp_path / "prepared.npz")
    again = SeriesDataset.load(tmp_path / "prepared.npz")
    assert again.owner_names.tolist() == data.owner_names.tolist()
    assert again.take(np.array([5])).owner_name(2) == "cy"


def test_numbers_that_are_their_own_names_have_none(tmp_path):
    file = write(tmp_path / "mine.npz", client=np.array([0, 1, 2, 2, 1, 0]))
    data = own.read(file, "mine")
    assert data.owner_names is data.label_names is data.channel_names is None
    assert data.owner_name(2) == "2"
    other = own.read(write(file, client=np.array([7, 9, 7, 9, 9, 9])), "mine")
    assert other.owner_names.tolist() == ["7", "9"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"channel_names": np.array(["hr"])}, "channel_names must be 2 strings"),
        ({"channel_names": np.arange(2)}, "channel_names must be 2 strings"),
        ({"y": np.ones((6, 2)), "label_names": np.array(["a"])}, "label_names must be 2 strings"),
    ],
)
def test_names_that_do_not_fit_are_one_line(tmp_path, changes, words):
    with pytest.raises(UserError, match=words):
        own.read(write(tmp_path / "mine.npz", **changes), "mine")


def test_missing_values_are_counted_by_channel(tmp_path):
    X = np.ones((6, 2, 5))
    X[1, 0, :2] = X[4, 0, 0] = X[4, 1, 3] = np.nan
    file = write(tmp_path / "mine.npz", X=X, channel_names=np.array(["hr", "acc"]))
    with pytest.raises(
        UserError, match=r"series 1 holds NaN .*\(2 of 6 do\); by channel"
    ) as caught:
        own.read(file, "mine")
    assert "hr: 3, acc: 1" in str(caught.value)


def test_a_transposed_X_is_recognised_by_its_lengths(tmp_path):
    file = write(tmp_path / "mine.npz", X=np.ones((6, 50, 3)), lengths=np.full(6, 40))
    with pytest.raises(
        UserError, match=r"lengths must lie in 1\.\.3, got 40 to 40; X is \[N, steps"
    ):
        own.read(file, "mine")
