"""Datasets in memory and on disk."""

import numpy as np
import pytest

from fedreact.data.dataset import SeriesDataset, pad
from fedreact.errors import UserError


def dataset(**changes):
    X, lengths = pad([np.ones((2, 3)), np.full((2, 5), 2.0)], 5)
    content = {
        "name": "toy",
        "X": X,
        "lengths": lengths,
        "y": np.array([0, 7]),
        "subject": np.array([4, 4]),
    }
    return SeriesDataset(**content | changes)


def test_pad_by_hand():
    data = dataset()
    assert data.X[0].tolist() == [[1, 1, 1, 0, 0]] * 2
    assert data.X[1].tolist() == [[2] * 5] * 2
    assert data.lengths.tolist() == [3, 5]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"subject": None, "trial": np.array([1, 2])},
        {"y": np.array([0.5, -1], np.float32)},
    ],
)
def test_round_trip(tmp_path, changes):
    data = dataset(**changes)
    assert data.regression == ("y" in changes)
    for name in "ab":
        data.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = SeriesDataset.load(tmp_path / "a")
    assert loaded.name == "toy"
    for field in ("X", "lengths", "y", "subject", "trial"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(data, field))


def test_part_of_a_dataset():
    part = dataset().take(np.array([1]))
    assert part.y.tolist() == [7]
    assert part.subject.tolist() == [4]
    assert part.trial is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((2, 2, 5))}, "X must be float32"),
        ({"X": np.zeros((0, 2, 5), np.float32)}, "N > 0"),
        ({"y": np.array([0])}, r"y must be int64 or float32 \[2\]"),
        ({"y": np.array([0.5, 1])}, "y must be int64 or float32"),
        ({"y": np.array([0.5, np.inf], np.float32)}, "target of series 1 is NaN or infinite"),
        ({"y": np.array([-1, 1])}, "labels must be 0 or more"),
        ({"trial": np.array([0.5, 1])}, "trial must be int64"),
        ({"X": np.full((2, 2, 5), np.nan, np.float32)}, "series 0 holds NaN"),
        ({"lengths": np.array([3, 6])}, "lengths must lie in 1..5"),
        ({"lengths": np.array([2, 5])}, "must be zero"),
    ],
)
def test_wrong_content_is_a_clear_error(changes, words):
    with pytest.raises(UserError, match=words):
        dataset(**changes)


def test_every_truncation_is_a_clear_error(tmp_path):
    path = tmp_path / "data.npz"
    dataset().save(path)
    whole = path.read_bytes()
    for size in range(0, len(whole), 37):
        path.write_bytes(whole[:size])
        with pytest.raises(UserError, match="not a readable dataset") as caught:
            SeriesDataset.load(path)
        assert "\n" not in str(caught.value)


def test_another_npz_is_a_clear_error(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(UserError, match="lacks name, X, lengths, y"):
        SeriesDataset.load(tmp_path / "other.npz")
    with pytest.raises(UserError, match="no such file"):
        SeriesDataset.load(tmp_path / "none.npz")
