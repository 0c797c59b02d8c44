"""Files that are damaged, cut or of something else: a reader says so in one line."""

import pickle

import numpy as np
import pytest
from bad_input import damaged, few, make, one_line_or_none, whole_or_one_line
from hypothesis import example, given
from hypothesis import strategies as st
from recordings import write_edf

from fedreact import npz
from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.supports import Supports
from fedreact.data import own, prepare
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import load_registry
from fedreact.data.sources import eegmmidb, pendigits, rtd
from fedreact.errors import UserError
from fedreact.figures.trip import NEEDED
from fedreact.reading import read_yaml


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made"))


def windows(seed=0):
    """Arrays of a user's recordings, of which series are windows."""
    rng = np.random.default_rng(seed)
    recording = rng.normal(size=(40, 2)).astype(np.float32)
    start, y = np.arange(0, 30, 3), rng.normal(size=(10, 2)).astype(np.float32)
    time = np.linspace(0, 9, 10)
    return {"recording": recording, "start": start, "steps": np.array(8), "y": y, "time": time}


# ---- Arrays -------------------------------------------------------------------------------------

READERS = {
    "data-plain": SeriesDataset.load,
    "windows": SeriesDataset.load,
    "partition-states": Partition.load,
    "own": lambda path: own.read(path, "mine"),
    "own-windows": lambda path: own.read(path, "mine"),
    "own-task": lambda path: own.task_of(path, "mine"),
    "region": lambda path: npz.load(path, "simulated region", NEEDED),
}


def whole(made, name):
    """The path of a file that its reader reads."""
    path = made.folder / f"{name}.npz"
    if not path.exists():
        plain = made.data["plain"]
        if name == "windows":
            own.read(whole(made, "own-windows"), "mine").save(path)
        elif name == "own-windows":
            np.savez_compressed(path, **windows())
        elif name == "region":
            np.savez_compressed(path, **{key: np.arange(9.0) for key in NEEDED})
        else:
            np.savez_compressed(path, X=plain.X, y=plain.y, client=plain.owner)
    return path


@pytest.mark.parametrize("name", list(READERS))
@few(9)
@given(choice=st.data())
def test_damaged_arrays(made, name, choice):
    path, broken = whole(made, name), made.folder / "broken.npz"
    assert one_line_or_none(READERS[name], path) is None
    broken.write_bytes(choice.draw(damaged(path.read_bytes())))
    one_line_or_none(READERS[name], broken)


ARRAYS = st.one_of(
    st.sampled_from(
        [
            np.zeros((6, 2, 5)),
            np.ones((6, 2, 5), np.float16),
            np.full((6, 2, 5), np.inf),
            np.full((6, 2, 5), 1e300),
            np.zeros((0, 2, 5)),
            np.zeros((6, 0, 5)),
            np.arange(6),
            np.arange(6) * 0.5,
            np.array(["a", "b"] * 3),
            np.array([b"a"] * 6),
            np.zeros(6, complex),
            np.zeros(6, "datetime64[s]"),
            np.zeros(6, [("a", int)]),
            np.array(3),
            np.arange(6, dtype=np.uint64) + 2**63,
            np.full(6, np.nan),
            np.full(6, -1),
            np.eye(6, 2, dtype=bool),
            np.eye(6, 2),
            np.zeros((6, 0)),
            np.ones((20, 2)),
            np.array(4),
            np.array(10**9),
        ]
    ),
    st.integers(0, 8).map(lambda n: np.zeros(n, np.int8)),
)
NAMES = ["X", "y", "client", "trial", "time", "lengths", "recording", "start", "steps", "label"]


@few(15)
@given(st.dictionaries(st.sampled_from(NAMES), ARRAYS, max_size=6))
@example({"X": np.ones((6, 2, 5)), "y": np.arange(6)})
@example(
    {"recording": np.ones((20, 2)), "start": np.arange(6), "steps": np.array(4), "y": np.eye(6, 2)}
)
def test_any_arrays_as_own_data(made, arrays):
    words = ["prepare_data.py", "--dataset", "any", "--data-folder", made.folder / "x"]
    path = own.path(made.folder / "x", "any")
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **arrays)

    def read(output):
        data = SeriesDataset.load(output)
        assert own.task_of(path, "any") == data.task

    whole_or_one_line(*words, output=made.output, read=read)
    one_line_or_none(own.task_of, path, "any")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clusters": np.zeros(0, int)}, "clients"),
        ({"clusters": np.zeros(5)}, "clusters must be integers"),
        ({"n_train": np.array([16] * 4 + [17])}, "n_train"),
        ({"n_test": np.array([4, 4, 4, 8, 0])}, "n_test"),
        ({"n_train": np.array([16] * 4)}, "n_train"),
        ({"train": np.full(80, -1)}, "of other data"),
        ({"train": np.full(80, 60)}, "60 samples"),
        ({"test": np.zeros(20)}, "test"),
        ({"distributions": np.zeros((2, 3))}, "distributions"),
        ({"distributions": np.full((2, 1, 3), np.nan)}, "distributions"),
    ],
)
def test_partitions_that_contradict_themselves_or_the_data(made, tmp_path, changes, words):
    made.partitions["plain"].save(tmp_path / "p.npz")
    arrays = npz.load(tmp_path / "p.npz", "partition", [])
    npz.save(tmp_path / "p.npz", **(arrays | changes))
    with pytest.raises(UserError, match=words):
        Partition.load(tmp_path / "p.npz", 60)


@pytest.mark.parametrize("share", [1, 2])
def test_labels_with_too_few_samples_to_train_and_test(share):
    y = np.append(np.repeat([0, 1, 3], [20, 20, share]), [4, 4])
    n = len(y)
    data = SeriesDataset("made", np.ones((n, 1, 2), np.float32), np.full(n, 2), y)
    with pytest.raises(UserError, match=r"label [23] has [01] of the samples"):
        Supports((1, 1), (2, 3)).deal(data, 0)


# ---- Other formats ------------------------------------------------------------------------------

DIGITS = b""".LEXICON "0 1"
.SEGMENT DIGIT 0-1 ? "4"
.COMMENT 4 1 117
.PEN_DOWN
 10 20
 30 40
.PEN_UP
.DT 100
.PEN_DOWN
 5 6
.PEN_UP
.DT 100
"""


@few(9)
@given(damaged(DIGITS))
@example(b"\x1f\x9d\x90")
def test_damaged_pendigits(content):
    assert len(pendigits.parse(DIGITS, "whole")) == 1
    one_line_or_none(pendigits.read, content, DIGITS)
    one_line_or_none(pendigits.parse, content, "file")


VALUES = st.one_of(
    st.floats(width=32), st.integers(-5, 10**400), st.none(), st.booleans(), st.text(max_size=3)
)


@few(9)
@given(st.lists(st.one_of(st.lists(VALUES, max_size=7), VALUES), max_size=4), VALUES)
def test_pickles_of_other_than_digits(rows, label):
    features, labels = (pickle.dumps(content) for content in (rows, [label] * len(rows)))
    one_line_or_none(rtd.read, features, labels)


@few(9)
@given(damaged(pickle.dumps([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])), damaged(pickle.dumps([0, 1])))
def test_damaged_pickles(features, labels):
    one_line_or_none(rtd.read, features, pickle.dumps([0, 1]))
    one_line_or_none(rtd.read, pickle.dumps([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]), labels)


@few(5)
@given(choice=st.data())
def test_damaged_recordings(made, choice):
    path, broken = made.folder / "whole.edf", made.folder / "S001R04.edf"
    if not path.exists():
        write_edf(path, np.random.default_rng(0).normal(0, 50, (23, 160 * 20)))
    content = path.read_bytes()
    header = damaged(content[: 256 * 25]).map(lambda head: head + content[256 * 25 :])
    broken.write_bytes(choice.draw(st.one_of(header, damaged(content[:9000]))))
    one_line_or_none(eegmmidb.read, [(eegmmidb.recordings([1], [4])[0], broken)])


@few(9)
@given(st.one_of(st.binary(max_size=60), st.text(max_size=40).map(str.encode)))
@example(b"a: 2020-13-45")
@example(b"[" * 1200)
@example(b"\xff\xfe")
@example(b"a: &x [*x]")
@example(b"? [1, 2]\n: 3")
@example(b"a: &x {<<: *x}")
def test_any_bytes_as_yaml(made, content):
    path = made.folder / "any.yaml"
    path.write_bytes(content)
    one_line_or_none(read_yaml, path)
    one_line_or_none(load_registry, path)
    assert "not YAML" in one_line_or_none(read_yaml, path.parent)


@pytest.mark.parametrize("change", ["missing", "folder", "not a digest", "not text"])
def test_lists_of_files_that_cannot_be_read(tmp_path, change):
    file = tmp_path / "sums"
    {
        "missing": lambda: None,
        "folder": file.mkdir,
        "not a digest": lambda: file.write_text("abc  a.edf\n"),
        "not text": lambda: file.write_bytes(b"\xff\xfe"),
    }[change]()
    task = "{kind: classification, outputs: 2, channels: 1, steps: 2}"
    registry = tmp_path / "datasets.yaml"
    listed = "{url: http, sha256: sums}"
    registry.write_text(f"a: {{title: t, licence: l, task: {task}, listed: {listed}}}")
    said = one_line_or_none(load_registry, registry)
    assert str(file) in said


def test_own_data_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="dataset 'mine' is unknown; known: none; or place"):
        prepare.read_own("mine", tmp_path)
