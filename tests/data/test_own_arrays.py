"""A user's own dataset: all arrays that it may have, and what is known of it from its headers."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fedreact import npz
from fedreact.data import own
from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.task import Task

RECORDING = np.arange(24.0).reshape(12, 2)


def write(path, **changes):
    """Six series of two channels and five steps, or what is said instead; ``None`` leaves out."""
    arrays = {"X": np.random.default_rng(0).normal(size=(6, 2, 5)), "y": np.arange(6) % 2}
    arrays |= changes
    np.savez(path, **{name: a for name, a in arrays.items() if a is not None})
    return path


def windows(**changes):
    """The arrays of three windows of four steps instead of ``X``."""
    given = {"X": None, "recording": RECORDING, "start": np.array([0, 5, 8], np.int16)}
    return given | {"steps": np.array(4, np.uint8), "y": np.array(["b", "a", "b"])} | changes


@pytest.fixture
def file(tmp_path):
    return tmp_path / "mine.npz"


def test_windows_of_recordings(file):
    data = own.read(write(file, **windows(client=np.array([9, 9, 4]))), "mine")
    assert isinstance(data.X, Windows)
    assert data.X.values.dtype == np.float32
    assert data.X.starts.dtype == np.int64
    assert data.X.shape == (3, 4, 2)
    np.testing.assert_array_equal(data.X[1], RECORDING[5:9])
    assert data.lengths.tolist() == [4, 4, 4]
    assert data.y.tolist() == [1, 0, 1]
    assert data.owner.tolist() == [1, 1, 0]
    assert data.task == Task("classification", 2, 2, 4)


@pytest.mark.parametrize(
    ("y", "kind", "outputs"),
    [
        (np.array([5, 1, 5, 9, 1, 1]), "classification", 3),
        (np.array([-5, 1, -5, 9, 1, 1], np.int8), "classification", 3),
        (np.array(["x", "y", "x", "x", "x", "x"]), "classification", 2),
        (np.array([True, False] * 3), "classification", 2),
        (np.eye(6)[:, :4] == 1, "multi-label", 4),
        (np.zeros((6, 1), bool), "multi-label", 1),
        (np.linspace(0, 1, 6), "regression", 1),
        (np.linspace(0, 1, 6, dtype=np.float16), "regression", 1),
        (np.ones((6, 1)), "regression", 1),
        (np.ones((6, 3), np.float32), "regression", 3),
    ],
)
def test_targets_of_all_kinds(file, y, kind, outputs):
    write(file, y=y)
    data, task = own.read(file, "mine"), Task(kind, outputs, 2, 5)
    assert data.task == task
    assert own.task_of(file, "mine") == task
    if kind == "classification":
        assert data.y.dtype == np.int64
        assert np.unique(data.y).tolist() == list(range(outputs))
        assert all(
            (data.y == label).sum() == (y == value).sum()
            for label, value in enumerate(np.unique(y))
        )
    else:
        np.testing.assert_array_equal(data.y, y.astype(data.y.dtype))
        assert data.y.dtype == (bool if kind == "multi-label" else np.float32)


@pytest.mark.parametrize("time", [np.arange(6), np.arange(6, dtype=np.float32), -np.arange(6.0)])
def test_time_is_in_seconds(file, time):
    data = own.read(write(file, time=time), "mine")
    assert data.time.dtype == np.float64
    assert data.time.tolist() == time.tolist()
    assert own.read(write(file), "mine").time is None


@pytest.mark.parametrize(
    ("y", "previous", "wanted"),
    [
        (np.array(list("xzxxyx")), np.array(list("yyzzxx")), [1, 1, 2, 2, 0, 0]),
        (np.array([5, 1, 5, 9, 1, 1]), np.array([9, 9, 1, 5, 5, 1], np.int8), [2, 2, 0, 1, 1, 0]),
        (np.eye(6)[:, :2] == 1, np.eye(6)[:, 1:3] == 1, np.eye(6)[:, 1:3] == 1),
        (np.linspace(0, 1, 6), np.linspace(1, 2, 6, dtype="f4"), np.linspace(1, 2, 6, dtype="f4")),
        (np.ones((6, 3), np.float32), np.zeros((6, 3)), np.zeros((6, 3))),
    ],
)
def test_previous_targets_are_as_the_targets(file, y, previous, wanted):
    data = own.read(write(file, y=y, previous=previous), "mine")
    assert data.previous.dtype == data.y.dtype
    np.testing.assert_array_equal(data.previous, wanted)
    assert own.task_of(file, "mine") == data.task
    assert own.read(write(file, y=y), "mine").previous is None


def test_trials_and_clients_may_be_texts(file):
    client, trial = np.array(list("bbaacc")), np.array([7, 7, 3, 3, 9, 9], np.uint16)
    data = own.read(write(file, client=client, trial=trial), "mine")
    assert data.owner.tolist() == [1, 1, 0, 0, 2, 2]
    assert data.trial.tolist() == [1, 1, 0, 0, 2, 2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y": np.eye(6, dtype=int)}, r"y \[N, M\] must be booleans \(labels\) or floats"),
        ({"y": np.array([["a"]] * 6)}, r"y \[N, M\] must be booleans"),
        ({"y": np.ones((6, 1, 1))}, r"y must be \[N\] or \[N, M\], got \(6, 1, 1\)"),
        ({"y": np.zeros((6, 0), bool)}, r"y must be \[N\] or \[N, M\], got \(6, 0\)"),
        ({"y": np.ones((5, 2))}, r"y must be \[6\], one for each series, got \(5, 2\)"),
        ({"y": np.array(1.0)}, r"y must be \[6\], one for each series, got \(\)"),
        ({"y": np.where(np.eye(6) == 1, np.inf, 0)}, "the target of series 0 is NaN or infinite"),
        ({"y": np.full((6, 2), 1e300)}, "the target of series 0 is NaN or infinite"),
        ({"time": np.arange(5)}, r"time must be \[6\], one for each series, got \(5,\)"),
        ({"time": np.ones((6, 1))}, r"time must be \[6\]"),
        ({"time": np.array(list("abcdef"))}, "time must be numbers, got <U1"),
        ({"time": np.array([0, 1, np.nan, 3, 4, 5])}, "the time of series 2 is not finite"),
        ({"trial": np.ones(6)}, "trial must be integers or strings, got float64"),
        ({"previous": np.arange(6)}, "previous must hold labels of y, and holds others"),
        ({"previous": np.array(list("aabbab"))}, "previous must hold labels of y"),
        ({"previous": np.zeros(6)}, "previous must hold labels of y"),
        ({"previous": np.zeros(5, int)}, r"previous must be \[6\], one for each series"),
        (
            {"previous": np.zeros((6, 1), int)},
            r"previous must be as y, int64 \[6\], got int64 \[6, 1",
        ),
        (
            {"y": np.ones((6, 2)), "previous": np.ones(6)},
            r"previous must be as y, float32 \[6, 2\], got float32 \[6\]",
        ),
        ({"y": np.ones(6), "previous": np.ones(6, int)}, "previous must be as y, .* got int64"),
        ({"y": np.ones(6), "previous": np.full(6, 1e300)}, "previous target of series 0 is NaN or"),
        ({"X": None}, "it lacks X"),
        (
            {"times": np.arange(6)},
            "unknown array times; known: X, y, client, trial, time, tested, lengths",
        ),
        ({"recording": RECORDING}, "it lacks start"),
        (
            windows(X=np.zeros((3, 2, 4))),
            "unknown array X; known: recording, start, steps, y, client, trial, time, tested",
        ),
        (windows(steps=None), "it lacks steps"),
        (windows(start=None), "it lacks start"),
        (windows(steps=np.array([4])), "steps must be one integer, .*: 1 or more"),
        (windows(steps=np.array(4.0)), "steps must be one integer, .*: 1 or more"),
        (windows(steps=np.array(0)), "steps must be one integer, .*: 1 or more"),
        (windows(steps=np.array(5)), "a window reaches beyond the recordings"),
        (windows(start=np.array([0, 5, 9])), "a window reaches beyond the recordings"),
        (windows(start=np.array([0, -5, 8])), "a window reaches beyond the recordings"),
        (windows(start=np.array([0.0, 5, 8])), r"start must be integers \[N\], got float64"),
        (windows(start=np.array([[0, 5, 8]])), r"start must be integers \[N\], got int64 \(1, 3\)"),
        (windows(recording=RECORDING[None]), r"recording must be numbers \[R, channels\]"),
        (windows(recording=RECORDING > 3), "recording must be numbers"),
        (windows(recording=RECORDING[:0]), "recording must be numbers"),
        (windows(recording=RECORDING * 1e300), "step 0 of the recordings is NaN or infinite"),
        (windows(recording=np.where(RECORDING == 7, np.nan, RECORDING)), "step 3 of the record"),
        (windows(lengths=np.array([4, 3, 4])), "windows of recordings have full length"),
        (windows(y=np.array([0, 1])), r"y must be \[3\], one for each series"),
    ],
)
def test_wrong_arrays_are_one_line(file, changes, words):
    write(file, **changes)
    with pytest.raises(UserError, match=rf"^[^\n]*{words}[^\n]* \[in {file}\]$"):
        own.read(file, "mine")


def kinds():
    """Targets of each kind, and what is not."""
    rng = np.random.default_rng(0)
    return {
        "labels": rng.integers(0, 4, 6),
        "texts": np.array(list("abacab")),
        "one of each": np.arange(6),
        "both": np.array([True, False] * 3),
        "multi-label": rng.random((6, 3)) < 0.5,
        "target": rng.normal(size=6),
        "targets": rng.normal(size=(6, 4)).astype(np.float32),
    }


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    y=st.sampled_from(sorted(kinds())),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 7)),
    of_windows=st.booleans(),
    fortran=st.booleans(),
    packed=st.booleans(),
)
def test_headers_tell_the_task_that_reading_it_whole_does(
    file, monkeypatch, y, shape, of_windows, fortran, packed
):
    channels, steps = shape
    if of_windows:
        values = {"recording": np.ones((20, channels), order="F" if fortran else "C")}
        values |= {"start": np.arange(6), "steps": np.array(steps)}
    else:
        values = {"X": np.ones((6, channels, steps), order="F" if fortran else "C")}
    save = np.savez_compressed if packed else np.savez
    save(file, y=kinds()[y], **values)
    wanted = own.read(file, "mine").task
    with monkeypatch.context() as without:
        without.setattr(own, "read", None)  # headers are enough
        assert own.task_of(file, "mine") == wanted
    assert (wanted.channels, wanted.steps) == (channels, steps)


def test_a_file_that_was_written_by_the_project_is_read_too(file):
    npz.save(file, X=np.ones((6, 2, 5), np.float32), y=np.arange(6) % 3)
    assert own.task_of(file, "mine") == own.read(file, "mine").task


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y": None}, "not a dataset of yours, it lacks y"),
        ({"X": None}, "it lacks X"),
        ({"X": np.zeros((6, 5))}, r"X must be numbers \[N, channels, T\]"),
        ({"y": np.zeros(6, int)}, "one label only"),
        ({"y": np.eye(6, dtype=int)}, r"y \[N, M\] must be booleans"),
        (
            {"y": np.array([None] * 6)},
            r"not a readable dataset of yours \(its array y holds objects\); .* of no objects$",
        ),
        (windows(steps=np.array([4, 4])), "steps must be one integer"),
        (windows(steps=None), "it lacks steps"),
    ],
)
def test_a_task_that_cannot_be_told_is_one_line(file, changes, words):
    write(file, **changes)
    with pytest.raises(UserError, match=rf"^[^\n]*{words}[^\n]*$") as caught:
        own.task_of(file, "mine")
    assert str(file) in str(caught.value)


def test_every_truncation_is_one_line_for_the_task_too(file):
    whole = write(file).read_bytes()
    for size in range(0, len(whole), 41):
        file.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"^[^\n]*not a readable dataset of yours[^\n]*$"):
            own.task_of(file, "mine")
    file.unlink()
    with pytest.raises(UserError, match="no such file"):
        own.task_of(file, "mine")


def test_names_are_those_that_can_be_part_of_paths(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("mine.npz", "b-2.npz", "Mine.npz", "a b.npz", "a_b.npz", "mine.txt"):
        (folder / name).touch()
    assert own.names(tmp_path) == ["b-2", "mine"]
    assert own.path(tmp_path, "mine") == folder / "mine.npz"
    assert own.names(tmp_path / "nowhere") == []
