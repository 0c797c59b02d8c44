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
        "writer": np.array([4, 4]),
    }
    return SeriesDataset(**content | changes)


def test_pad_by_hand():
    data = dataset()
    assert data.X[0].tolist() == [[1, 1, 1, 0, 0]] * 2
    assert data.X[1].tolist() == [[2] * 5] * 2
    assert data.lengths.tolist() == [3, 5]


@pytest.mark.parametrize("writer", [None, np.array([1, 2])])
def test_round_trip(tmp_path, writer):
    data = dataset(writer=writer)
    for name in "ab":
        data.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = SeriesDataset.load(tmp_path / "a")
    assert loaded.name == "toy"
    for field in ("X", "lengths", "y", "writer"):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(data, field))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((2, 2, 5))}, "X must be float32"),
        ({"X": np.zeros((0, 2, 5), np.float32)}, "N > 0"),
        ({"y": np.array([0])}, r"y must be int64 \[2\]"),
        ({"y": np.array([0.5, 1])}, "y must be int64"),
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
