import codecs
import os
import pickle
import pickletools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fedreact.data.files import content_sha256
from fedreact.data.sources import rtd
from fedreact.errors import UserError

# Three digits of 3, 1 and 2 steps, as flat x, y, z, and what becomes of them.
FLAT = [[0.0, 0, 0, 4, 2, 1, 4, 1, 0], [5.0, 6, 7], [2.0, 2, 2, 1, 2, 4]]
LABELS = [3, 0, 9]
UNIT = [
    [[-1, 1, 1], [-0.5, 0.5, 0], [-0.25, 0.25, -0.25]],
    [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
    [[0.5, -0.5, 0], [0, 0, 0], [-1, 1, 0]],
]


def padded(dtype=np.float64):
    table = np.zeros((3, 300), dtype=dtype)
    for row, flat in zip(table, FLAT):
        row[: len(flat)] = flat
    return table


def objects(items):
    array = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):
        array[i] = item
    return array


def read(features, labels=LABELS, protocol=2):
    return rtd.read(pickle.dumps(features, protocol), pickle.dumps(labels, protocol))


def assert_flat(dataset):
    assert dataset.name == "rtd"
    assert dataset.X.shape == (3, 3, 100)
    assert dataset.lengths.tolist() == [3, 1, 2]
    assert dataset.y.tolist() == LABELS
    assert dataset.owner is None
    np.testing.assert_array_equal(dataset.X[:, :, :3], np.float32(UNIT))
    assert not dataset.X[:, :, 3:].any()


FEATURES = {
    "lists": FLAT,
    "tuples": tuple(map(tuple, FLAT)),
    "arrays": [np.array(r) for r in FLAT],
    "objects of lists": objects(FLAT),
    "objects of arrays": objects([np.array(r, dtype=np.float32) for r in FLAT]),
    "numpy numbers": [list(np.array(r)) for r in FLAT],
    "padded": padded(),
    "padded lists": padded().tolist(),
    "padded integers": padded(np.int16),
    "padded big-endian": padded().astype(">f4"),
    "padded objects": padded().astype(object),
    "padded Fortran order": np.asfortranarray(padded()),
    "padded Fortran order objects": np.asfortranarray(padded().astype(object)),
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("layout", FEATURES)
def test_layouts_of_features(layout, protocol):
    assert_flat(read(FEATURES[layout], protocol=protocol))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        np.array(LABELS, dtype=np.uint8),
        np.float64(LABELS),
        list(np.array(LABELS)),
        np.eye(10)[LABELS],
        np.eye(10, dtype=bool)[LABELS],
        np.eye(10, dtype=int)[LABELS].tolist(),
        objects(list(np.eye(10, dtype=np.float32)[LABELS])),
    ],
)
def test_layouts_of_labels(labels, protocol):
    assert_flat(read(FLAT, labels, protocol))


def test_pairs_without_depth():
    circle = np.linspace(0, 6, 99)
    path = np.stack([300 + 90 * np.cos(circle), 200 + 60 * np.sin(circle)], axis=1)
    dataset = read([path.ravel(), path[:60].ravel()], [0, 1])  # both could be triples
    assert dataset.X.shape == (2, 2, 100)
    assert dataset.lengths.tolist() == [99, 60]
    assert dataset.X[0, 0, 0] == 1
    dataset = read(np.pad(path.ravel(), (0, 2))[None], [0])  # 200 numbers are no triples
    assert dataset.lengths.tolist() == [99]


def test_triples_that_could_be_pairs():
    t = np.linspace(0, 3, 60)
    path = np.stack([300 + 90 * np.cos(t), 200 + 60 * np.sin(t), 0.5 + 0.01 * t], axis=1)
    assert read([path.ravel()], [0]).X.shape == (1, 3, 100)
    assert read([path.ravel() - path[0].repeat(60).reshape(3, 60).T.ravel()], [0]).X.shape[1] == 3


def test_zeros_only_are_one_step():
    dataset = read(np.zeros((1, 300)), [7])
    assert dataset.lengths.tolist() == [1]
    assert not dataset.X.any()


def test_a_zero_within_a_series_is_kept():
    assert read([[1.0, 2, 3, 0, 0, 0, 4, 5, 0]], [7]).lengths.tolist() == [3]


def test_content_is_pinned_where_a_digest_is_known():
    known = content_sha256([np.reshape(r, (-1, 3)).T for r in FLAT], LABELS)
    data = pickle.dumps(FLAT), pickle.dumps(LABELS)
    assert_flat(rtd.read(*data, sha256=known))
    with pytest.raises(UserError, match=r"^rtd: .* other data than registered[^\n]*$"):
        rtd.read(*data, sha256="0" * 64)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([FLAT[0], [1.0, 2, 3, 4, 5]], r"features: sample 1 holds 5 numbers"),
        ([[1.0] * 303], r"features: sample 0 holds 303 numbers, 303 without.*at most 100 steps"),
        ([FLAT[0], []], r"features: sample 1: .* got an empty sequence"),
        ([FLAT[0], [1.0, "2", 3.0]], r"features: sample 1: .* got 3 values of type float, str"),
        ([FLAT[0], [[1.0, 2, 3]]], r"features: sample 1: .* got 1 values of type list"),
        ([FLAT[0], np.zeros((1, 3))], r"features: sample 1: .* got an array \[1, 3\]"),
        ([FLAT[0], None], r"features: sample 1: .* got NoneType"),
        ([FLAT[0], [1.0, 2, float("nan")]], r"features: sample 1 holds NaN"),
        ([FLAT[0], [1.0, 2, 1e39]], r"features: sample 1 holds NaN, an infinite or a too large"),
        ([FLAT[0], [1, 2, 10**400]], r"features: sample 1 holds a number too large"),
        (np.zeros((3, 4, 5)), r"features: wanted .* got an array \[3, 4, 5\]"),
        (np.zeros(6), r"features: wanted .* got an array \[6\]"),
        (np.zeros(()), r"features: wanted .* got an array \[\]"),
        (np.array(["1 2 3"]), r"features: it holds an array of dtype 'U5'"),
        (np.array([b"1 2 3"]), r"features: it holds an array of dtype 'S5'"),
        (np.zeros(3, dtype="V0"), r"features: it holds an array of dtype 'V0?'"),
        (np.zeros(3, dtype="f4,O"), r"features: it holds an array of dtype 'V"),
        (np.zeros(3, dtype=complex), r"features: it holds an array of dtype 'c16'"),
        ({"features": FLAT}, r"features: wanted .* got dict"),
        ([], r"features: wanted .* got an empty sequence"),
        ("features", r"features: wanted .* got str"),
    ],
)
def test_other_features_are_refused(features, message):
    with pytest.raises(UserError, match=f"^{message}[^\n]*$"):
        read(features)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (LABELS[:2], r"rtd: 3 samples in features, but 2 in labels"),
        ([], r"rtd: 3 samples in features, but 0 in labels"),
        ([3, 10, 9], r"labels: sample 1 is neither"),
        ([3, -1, 9], r"labels: sample 1 is neither"),
        ([3.0, 0.5, 9], r"labels: sample 1 is neither"),
        ([3, 10**400, 9], r"labels: sample 1 is neither"),
        ([0, float("nan"), 9], r"labels: sample 1 is neither"),
        (np.eye(10)[LABELS] * 2, r"labels: sample 0 is neither"),
        (np.zeros((3, 10)), r"labels: sample 0 is neither"),
        (np.ones((3, 10)), r"labels: sample 0 is neither"),
        (np.eye(9)[[1, 0, 8]], r"labels: wanted .* got an array \[3, 9\]"),
        ([[1, 0], [1]], r"labels: samples differ in length"),
        (["3", "0", "9"], r"labels: sample 0: wanted a flat sequence of numbers, got str"),
        (np.int64(3), r"labels: wanted .* got int"),
        (np.array(3), r"labels: wanted .* got an array \[\]"),
        (None, r"labels: wanted .* got NoneType"),
    ],
)
def test_other_labels_are_refused(labels, message):
    with pytest.raises(UserError, match=f"^{message}[^\n]*$"):
        read(FLAT, labels)


class Call:
    """Pickled, this is a call of ``function(*args)``, and then of ``__setstate__(state)``."""

    def __init__(self, function, *args, state=None):
        self.call = (function, args) if state is None else (function, args, state)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    ("attack", "named"),
    [
        (Call(os.system, "touch ran"), r"'(posix|nt)\.system'"),
        (Call(eval, "open('ran', 'w')"), r"'(__builtin__|builtins)\.eval'"),
        (Call(exec, "open('ran', 'w')"), r"'(__builtin__|builtins)\.exec'"),
        (Call(getattr, Call(__import__, "os"), "system"), r"'(__builtin__|builtins)\.getattr'"),
        ([FLAT, {"a": objects([Call(open, "ran", "w")])}], r"'_?io\.open'|builtins\.open"),
        (Call(np.load, "ran"), r"'numpy\.load'"),
        (Call(np.fromfile, "ran"), r"'numpy\.(core\.multiarray\.)?fromfile'"),
        (Call(np.memmap, "ran", "u1", "w+", 0, 1), r"'numpy\.memmap'"),
        (Call(codecs.open, "ran", "w"), r"'codecs\.open'"),
        (Call(bytearray, 1 << 40), r"'(__builtin__|builtins)\.bytearray'"),
        (np.ma.masked_array([1.0]), r"'numpy\.ma\.core\._mareconstruct'"),
    ],
)
def test_pickles_that_run_code_are_refused(attack, named, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = pickle.dumps(attack, protocol)
    for files in ((data, pickle.dumps(LABELS)), (pickle.dumps(FLAT), data)):
        with pytest.raises(UserError, match=rf"^(features|labels): it names .*({named})[^\n]*$"):
            rtd.read(*files)
    assert not list(tmp_path.iterdir())


RECONSTRUCT = np._core.multiarray._reconstruct


@pytest.mark.parametrize(
    "abuse",
    [
        # A forged state of an object dtype, which numpy itself would take, and then bytes as its
        # "objects": pointers of the attacker's choice.
        Call(
            RECONSTRUCT,
            *(np.ndarray, (0,), b"b"),
            state=(
                *(1, (1,)),
                Call(np.dtype, "O", False, True, state=(3, "|", None, None, None, -1, -1, 0)),
                *(False, b"\x41" * 8),
            ),
        ),
        # Content that does not fill the shape, and a shape without content.
        Call(RECONSTRUCT, np.ndarray, (0,), b"b", state=(1, (10**12,), np.dtype("u1"), False, b"")),
        Call(RECONSTRUCT, np.ndarray, (10**15,), b"b"),
        Call(RECONSTRUCT, np.ndarray, (0,), b"b", state=(1, (2,), "u1", False, b"ab")),
        Call(RECONSTRUCT, np.ndarray, (0,), b"b", state=()),
        Call(np.dtype, "f8", False, True, state=(3, "<,O", None, None, None, -1, -1, 0)),
        Call(np.dtype, "V1000000000000"),
        Call(np.dtype, {"names": ["a"], "formats": ["O"]}),
        Call(np._core.multiarray.scalar, np.dtype("f8"), b"short"),
        Call(codecs.encode, "text", "hex"),
        Call(codecs.encode, "text", "idna"),
    ],
)
def test_abuse_of_the_names_that_are_answered(abuse):
    for value in (abuse, [abuse], [[abuse]]):
        with pytest.raises(UserError, match=r"^features: [^\n]*$"):
            rtd.read(pickle.dumps(value, 2), pickle.dumps(LABELS))


def test_nests_are_not_walked():
    own = []
    own.append(own)
    bomb = [1.0, 2.0, 3.0]
    for _ in range(100):
        bomb = [bomb] * 10
    for value in (own, bomb):
        with pytest.raises(UserError, match=r"^features: sample 0: wanted a flat"):
            read(value)


@pytest.mark.parametrize("features", [FEATURES["padded"][:, :30], FLAT, objects(FLAT)], ids=str)
@pytest.mark.parametrize("protocol", [0, 2, 4, 5])
def test_files_cut_short_are_refused(features, protocol):
    whole, labels = pickle.dumps(features, protocol), pickle.dumps(LABELS)
    for length in range(0, len(whole), 3):
        with pytest.raises(UserError, match=r"^features: [^\n]*$"):
            rtd.read(whole[:length], labels)


def memo_is_small(data):
    """Tell whether the memo indices are below 1000.

    A huge one makes C's unpickler allocate as huge a table. That is a question of memory, which no
    subclass can bound, not of running code.
    """
    position = 0
    try:
        for opcode, argument, position in pickletools.genops(data):  # noqa: B007
            if opcode.name in ("PUT", "LONG_BINPUT") and argument >= 1000:
                return False
    except Exception:
        return b"r" not in data[position:]  # LONG_BINPUT
    return True


def reads_or_refuses(features):
    assume(memo_is_small(features))
    try:
        dataset, message = rtd.read(features, pickle.dumps(LABELS)), ""
    except UserError as error:
        dataset, message = None, str(error)
    assert "\n" not in message
    assert dataset is None or (len(dataset.X) == 3 and np.abs(dataset.X).max() <= 1)


@settings(deadline=None, max_examples=500)
@given(st.binary())
def test_random_bytes_are_refused(data):
    reads_or_refuses(data)


@pytest.mark.campaign
@pytest.mark.parametrize("protocol", [2, 4, 5])
@settings(deadline=None, max_examples=500)
@given(st.data())
def test_damaged_bytes_are_refused_or_still_give_series(protocol, data):
    features = data.draw(st.sampled_from([FEATURES["padded"][:, :15], objects(FLAT)]))
    whole = bytearray(pickle.dumps(features, protocol))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    reads_or_refuses(bytes(whole))
