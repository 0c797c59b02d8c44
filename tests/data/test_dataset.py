"""Datasets in memory and on disk."""

import numpy as np
import pytest

from fedreact.data.dataset import SeriesDataset, pad, thin_out
from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.task import Task

FIELDS = ("lengths", "y", "owner", "trial", "time", "previous")


def dataset(**changes):
    X, lengths = pad([np.ones((2, 3)), np.full((2, 5), 2.0)], 5)
    content = {
        "name": "toy",
        "X": X,
        "lengths": lengths,
        "y": np.array([0, 7]),
        "owner": np.array([4, 4]),
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
        {"owner": None, "trial": np.array([1, 2])},
        {"y": np.array([0.5, -1], np.float32)},
        {"y": np.array([[0.5, -1, 2], [0, 0, 1]], np.float32)},
        {"y": np.array([[True, False], [True, True]])},
        {"time": np.array([0.25, -7.5])},
        {"previous": np.array([7, 3])},
        {"y": np.array([0.5, -1], np.float32), "previous": np.array([2, 0.5], np.float32)},
        {"y": np.eye(2) == 1, "previous": np.eye(2) == 0},
    ],
)
def test_round_trip(tmp_path, changes):
    data = dataset(**changes)
    for name in "ab":
        data.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = SeriesDataset.load(tmp_path / "a")
    assert loaded.name == "toy"
    assert loaded.task == data.task
    for field in ("X", *FIELDS):
        np.testing.assert_array_equal(getattr(loaded, field), getattr(data, field))
        if getattr(data, field) is not None:
            assert getattr(loaded, field).dtype == getattr(data, field).dtype


def test_a_file_holds_what_is_given_and_no_more(tmp_path):
    dataset().save(tmp_path / "x.npz")
    with np.load(tmp_path / "x.npz") as file:
        assert file.files == ["name", "X", "lengths", "y", "owner"]
    # As files were written before there was a previous value.
    assert SeriesDataset.load(tmp_path / "x.npz").previous is None


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (np.array([0, 7]), Task("classification", 8, 2, 5)),
        (np.array([[True, False, True]] * 2), Task("multi-label", 3, 2, 5)),
        (np.array([[True], [False]]), Task("multi-label", 1, 2, 5)),
        (np.array([0.5, -1], np.float32), Task("regression", 1, 2, 5)),
        (np.array([[0.5], [-1]], np.float32), Task("regression", 1, 2, 5)),
        (np.ones((2, 4), np.float32), Task("regression", 4, 2, 5)),
    ],
)
def test_what_is_to_be_predicted(y, task):
    assert dataset(y=y).task == task


def test_part_of_a_dataset():
    part = dataset().take(np.array([1]))
    assert part.y.tolist() == [7]
    assert part.owner.tolist() == [4]
    assert part.trial is None
    assert part.time is None
    y = np.array([[True, False], [False, True]])
    given = {"y": y, "time": np.array([3.0, 1.5]), "previous": ~y}
    part = dataset(**given).take(np.array([False, True]))
    assert part.previous.tolist() == [[True, False]]
    assert part.y.tolist() == [[False, True]]
    assert part.time.tolist() == [1.5]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((2, 2, 5))}, "X must be float32"),
        ({"X": np.zeros((0, 2, 5), np.float32)}, "N > 0"),
        ({"y": np.array([0])}, r"y must be int64 \[2\], bool \[2, labels\] or float32 \[2\] or"),
        ({"y": np.array([0.5, 1])}, r"y must be int64 .*, got float64 \(2,\)"),
        ({"y": np.array([0, 1], np.int32)}, "y must be int64 .*, got int32"),
        ({"y": np.array([True, False])}, r"y must be int64 .*, got bool \(2,\)"),
        ({"y": np.array([[0, 1], [1, 0]])}, r"y must be int64 .*, got int64 \(2, 2\)"),
        ({"y": np.ones((2, 1, 1), np.float32)}, r"y must be int64 .*, got float32 \(2, 1, 1\)"),
        ({"y": np.ones((3, 2), bool)}, r"y must be int64 .*, got bool \(3, 2\)"),
        (
            {"y": np.array([[0, 1], [0, np.nan]], np.float32)},
            "target of series 1 is NaN or infinite",
        ),
        ({"y": np.array([0.5, np.inf], np.float32)}, "target of series 1 is NaN or infinite"),
        ({"y": np.array([-1, 1])}, "labels must be 0 or more"),
        (
            {"previous": np.array([0, 1], np.int32)},
            r"previous must be as y, int64 \[2\], got int32 \[2\]",
        ),
        ({"previous": np.array([0])}, r"previous must be as y, int64 \[2\], got int64 \[1\]"),
        (
            {"y": np.ones((2, 3), bool), "previous": np.ones((2, 1), bool)},
            r"previous must be as y, bool \[2, 3\], got bool \[2, 1\]",
        ),
        ({"previous": np.array([0, -1])}, "labels must be 0 or more, got -1"),
        (
            {"y": np.ones(2, np.float32), "previous": np.array([0, np.nan], np.float32)},
            "previous target of series 1 is NaN or infinite",
        ),
        ({"trial": np.array([0.5, 1])}, r"trial must be int64 \[2\], got float64"),
        ({"owner": np.array([1])}, r"owner must be int64 \[2\], got int64 \(1,\)"),
        ({"time": np.array([1, 2])}, r"time must be float64 \[2\], got int64"),
        ({"time": np.array([[1.0], [2.0]])}, r"time must be float64 \[2\]"),
        ({"time": np.array([1, np.nan])}, "the time of series 1 is not finite"),
        ({"time": np.array([-np.inf, 0])}, "the time of series 0 is not finite"),
        ({"lengths": np.array([3.0, 5.0])}, r"lengths must be int64 \[2\], got float64"),
        ({"lengths": np.array([0, 5])}, "lengths must lie in 1..5"),
        ({"X": np.full((2, 2, 5), np.nan, np.float32)}, "series 0 holds NaN"),
        ({"lengths": np.array([3, 6])}, "lengths must lie in 1..5"),
        ({"lengths": np.array([2, 5])}, "must be zero"),
    ],
)
def test_wrong_content_is_a_clear_error(changes, words):
    with pytest.raises(UserError, match=rf"^dataset toy: [^\n]*{words}[^\n]*$"):
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
    with pytest.raises(UserError, match="lacks name, lengths, y"):
        SeriesDataset.load(tmp_path / "other.npz")
    arrays = {"name": np.array("x"), "lengths": np.ones(2, int), "y": np.arange(2)}
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(UserError, match=r"other\.npz: not a dataset, it lacks X$"):
        SeriesDataset.load(tmp_path / "other.npz")
    for lacking in ("start", "steps"):
        of = {"recording": np.ones((9, 1), np.float32), "start": np.arange(2), "steps": np.array(3)}
        np.savez(tmp_path / "other.npz", **arrays, **{k: of[k] for k in of if k != lacking})
        with pytest.raises(UserError, match=rf"^[^\n]*npz: windows of recordings need {lacking}$"):
            SeriesDataset.load(tmp_path / "other.npz")
    with pytest.raises(UserError, match="no such file"):
        SeriesDataset.load(tmp_path / "none.npz")


# Two recordings of two channels, of 6 and 4 steps; three windows of 3 steps.
RECORDINGS = np.arange(20, dtype=np.float32).reshape(10, 2)


def windowed(**changes):
    content = {"values": RECORDINGS, "starts": np.array([0, 2, 7]), "length": 3}
    X = Windows(**content | {k: changes.pop(k) for k in list(changes) if k in content})
    given = {"lengths": np.full(3, 3), "y": np.array([0, 1, 1]), "owner": np.array([5, 5, 8])}
    return SeriesDataset("toy", X, **given | changes)


def test_windows_are_the_series_that_they_stand_for():
    data = windowed(time=np.array([2.0, 4.0, 9.0]))
    assert len(data.X) == 3
    assert data.task == Task("classification", 2, 2, 3)
    assert data.steps_first is data.X
    series = np.array([RECORDINGS[:3].T, RECORDINGS[2:5].T, RECORDINGS[7:].T])
    written_out = SeriesDataset("toy", series, data.lengths, data.y, data.owner, time=data.time)
    assert written_out.task == data.task
    np.testing.assert_array_equal(written_out.steps_first, data.X[np.arange(3)])
    assert written_out.steps_first.flags["C_CONTIGUOUS"]
    assert written_out.steps_first.dtype == np.float32


def test_padding_stands_before_series_for_models_that_read_the_last_step():
    X = np.zeros((3, 2, 4), np.float32)
    X[0], X[1, :, :1], X[2, :, :3] = 7.0, [[1.0], [2.0]], [[1, 2, 3], [4, 5, 6]]
    data = SeriesDataset("toy", X, np.array([4, 1, 3]), np.array([0, 1, 0]))
    np.testing.assert_array_equal(data.padded_first[0], X[0].T)
    np.testing.assert_array_equal(data.padded_first[1].T, [[0, 0, 0, 1], [0, 0, 0, 2]])
    np.testing.assert_array_equal(data.padded_first[2].T, [[0, 1, 2, 3], [0, 4, 5, 6]])
    full = windowed()
    assert full.padded_first is full.steps_first


def test_part_of_windows():
    data = windowed(trial=np.array([0, 0, 1]))
    part = data.take(np.array([2, 0]))
    assert part.X.values is data.X.values
    assert part.X.starts.tolist() == [7, 0]
    assert part.X.shape == (2, 3, 2)
    assert part.owner.tolist() == [8, 5]
    assert part.trial.tolist() == [1, 0]
    np.testing.assert_array_equal(part.X[np.array([0])][0], RECORDINGS[7:])
    np.testing.assert_array_equal(data.take(data.owner == 8).X[0], RECORDINGS[7:])


def test_round_trip_of_windows(tmp_path):
    data = windowed(y=np.array([[True, False]] * 3), time=np.array([2.0, 4.0, 9.0]))
    for name in "ab":
        data.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = SeriesDataset.load(tmp_path / "a")
    assert loaded.task == data.task
    for field in ("values", "starts", "length"):
        np.testing.assert_array_equal(getattr(loaded.X, field), getattr(data.X, field))
    for field in FIELDS:
        np.testing.assert_array_equal(getattr(loaded, field), getattr(data, field))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"values": RECORDINGS.astype(float)}, r"recordings must be float32 \[R, channels\]"),
        ({"values": RECORDINGS[:, 0]}, r"recordings must be float32 \[R, channels\]"),
        ({"starts": np.zeros(0, int)}, "recordings must be .*, with a window or more"),
        ({"values": np.where(RECORDINGS == 9, np.nan, RECORDINGS)}, "step 4 of the recordings is"),
        ({"values": np.where(RECORDINGS == 2, np.inf, RECORDINGS)}, "step 1 of the recordings is"),
        ({"starts": np.array([0, 2, 8])}, "a window reaches beyond the recordings"),
        ({"starts": np.array([0, -1, 7])}, "a window reaches beyond the recordings"),
        ({"lengths": np.array([3, 2, 3])}, "windows of recordings have full length"),
        ({"lengths": np.array([3, 4, 3])}, r"lengths must lie in 1\.\.3"),
        ({"y": np.array([0, 1])}, r"y must be int64 \[3\]"),
        ({"time": np.zeros(2)}, r"time must be float64 \[3\]"),
    ],
)
def test_wrong_windows_are_a_clear_error(changes, words):
    with pytest.raises(UserError, match=rf"^dataset toy: [^\n]*{words}[^\n]*$"):
        windowed(**changes)


def test_as_many_of_each_label_are_kept_in_their_order():
    y = np.array([2, 0, 2, 2, 0, 2, 2, 1])
    X = np.arange(8, dtype=np.float32).reshape(8, 1, 1)
    data = SeriesDataset("toy", X, np.ones(8, int), y)
    kept = thin_out(data, 2)
    assert kept.X[:, 0, 0].tolist() == sorted(kept.X[:, 0, 0])
    assert np.bincount(kept.y).tolist() == [2, 1, 2]
    assert np.array_equal(kept.y, y[kept.X[:, 0, 0].astype(int)])
    assert np.array_equal(thin_out(data, 2).X, kept.X)
    # Of more that are kept, fewer are some.
    assert set(thin_out(data, 1).X.ravel()) < set(kept.X.ravel())
    assert thin_out(data, None) is data
    assert thin_out(data, 99).X.tolist() == X.tolist()
