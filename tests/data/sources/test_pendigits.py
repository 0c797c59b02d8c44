from pathlib import Path

import ncompress
import numpy as np
import pytest
from helpers import MIRRORS, ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from fedreact.data.files import locate
from fedreact.data.registry import load_registry
from fedreact.data.sources import pendigits
from fedreact.errors import UserError

REGISTRY = load_registry(ROOT / "config" / "datasets.yaml")

# A 4 in two strokes by writer 3, then a 1 in one stroke by writer 12.
SNIPPET = b"""\
.INCLUDE        dene.doc

.LEXICON "0" "1" "2" "3" "4" "5" "6" "7" "8" "9"
.HIERARCHY      DIGIT

.SEGMENT DIGIT    0-1 ? "4"
.COMMENT 4  3  117
.PEN_DOWN
  10  30
  10  20
  30  20
.PEN_UP
.DT 100
.PEN_DOWN
  20  40
.PEN_UP
.DT 100

.SEGMENT DIGIT    2 ? "1"
.COMMENT 1 12  5
.PEN_DOWN
 100 200
 101   0
.PEN_UP
.DT 100
"""
FOUR = [[10, 10, 30, 20], [30, 20, 20, 40], [1, 1, 0, 0]]
ONE = [[100, 101], [200, 0], [1, 0]]


def assert_snippet(digits):
    assert [d.trace.tolist() for d in digits] == [FOUR, ONE]
    assert [(d.label, d.writer) for d in digits] == [(4, 3), (1, 12)]


@pytest.fixture
def two_digits(monkeypatch):
    """Let a file of the snippet's two digits count as whole."""
    monkeypatch.setattr(pendigits, "COUNTS", dict.fromkeys(pendigits.COUNTS, 2))


@pytest.fixture(scope="module")
def original():
    placed = locate(REGISTRY["pendigits"], Path("/nowhere"), MIRRORS)
    if placed is None:
        pytest.skip("no mirror with pendigits")
    return [placed[kind].read_bytes() for kind in ("tra", "tes")]


def test_parse_gives_what_is_written():
    assert_snippet(pendigits.parse(SNIPPET, "x"))


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_do_not_matter(end):
    assert_snippet(pendigits.parse(SNIPPET.replace(b"\n", end), "x"))


def test_compressed_files_are_decompressed():
    compressed = ncompress.compress(SNIPPET)
    assert compressed[:2] == b"\x1f\x9d"
    assert_snippet(pendigits.parse(compressed, "x"))


def test_read_puts_both_files_together(two_digits):
    dataset = pendigits.read(SNIPPET, ncompress.compress(SNIPPET), n_steps=6)
    # The 4 spans 10..30 by 20..40, so 20 and 30 become 0 and ten pixels become one; the 1 spans
    # 100..101 by 0..200, so a hundred pixels become one.
    four = [[-1, -1, 1, 0, 0, 0], [0, -1, -1, 1, 0, 0], [1, 1, 0, 0, 0, 0]]
    one = [[-0.005, 0.005, 0, 0, 0, 0], [1, -1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    np.testing.assert_array_equal(dataset.X, np.float32([four, one, four, one]))
    assert dataset.name == "pendigits"
    assert dataset.lengths.tolist() == [4, 2, 4, 2]
    assert dataset.y.tolist() == [4, 1, 4, 1]
    assert dataset.owner.tolist() == [3, 12, 15, 24]


def test_a_wrong_number_of_digits_is_refused():
    with pytest.raises(UserError, match=r"pendigits-orig.tra: holds 2 digits, not 7494"):
        pendigits.read(SNIPPET, SNIPPET)


def test_other_content_than_registered_is_refused(two_digits):
    with pytest.raises(UserError, match=r"^pendigits: .*expected 00\); delete them[^\n]*$"):
        pendigits.read(SNIPPET, SNIPPET, sha256="00")


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        (b'? "4"', b'? "x"', r"line 6: wanted a header line or \.SEGMENT, found"),
        (b"0-1", b"1-0", r"line 6: strokes 1 to 0 are no range"),
        (b".COMMENT 4", b".COMMENT 5", r"line 7: the digit is 4, found '\.COMMENT 5  3  117'"),
        (b"  10  20", b"  10  2.5", r"line 10: wanted a point or \.PEN_UP, found '10  2\.5'"),
        (b"  10  20", b"  10  2000", r"line 10: wanted"),
        (b"  10  20", b"\xff", r"line 10: wanted a point or \.PEN_UP, found 'ÿ'"),
        (b".PEN_UP", b".PEN_OFF", r"line 12: wanted a point or \.PEN_UP, found '\.PEN_OFF'"),
        (b"  10  30\n  10  20\n  30  20\n", b"", r"line 9: wanted a point, found '\.PEN_UP'"),
        (b"0-1", b"0-2", r"line 19: wanted \.PEN_DOWN, found '\.SEGMENT"),
        (b"0-1", b"0", r"line 14: wanted \.SEGMENT, found '\.PEN_DOWN'"),
        (SNIPPET, b"", r"line 0: ends there"),
        (SNIPPET, SNIPPET[:60], r"line 3: ends there"),
    ],
)
def test_malformed_text_is_refused_with_its_line(good, bad, message):
    with pytest.raises(UserError, match=f"^tra {message}[^\n]*$"):
        pendigits.parse(SNIPPET.replace(good, bad, 1), "tra")


def parse_or_message(data):
    try:
        return pendigits.parse(data, "x"), ""
    except UserError as error:
        return None, str(error)


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_cut_short_is_refused_or_loses_whole_digits(compressed):
    whole = ncompress.compress(SNIPPET) if compressed else SNIPPET
    counts = []
    for length in range(len(whole)):
        digits, message = parse_or_message(whole[:length])
        assert "\n" not in message
        counts.append(len(digits or []))
    # Only cuts at a digit's end are taken, give or take the last characters of its last line,
    # which say nothing of it, and the few bytes in which compressed text changes.
    assert counts == sorted(counts, key=lambda n: n == 2)
    assert counts.count(1) <= 8
    assert counts.count(2) <= 4


@settings(deadline=None)
@given(st.one_of(st.binary(), st.binary().map(lambda b: b"\x1f\x9d\x90" + b)))
def test_random_bytes_are_refused(data):
    with pytest.raises(UserError, match=r"^x[^\n]*$"):
        pendigits.parse(data, "x")


@settings(deadline=None)
@given(st.integers(0, len(SNIPPET) - 1), st.binary(max_size=3))
def test_damaged_bytes_are_refused_or_still_give_digits(at, replacement):
    for whole in (SNIPPET, ncompress.compress(SNIPPET)):
        cut = at % len(whole)
        digits, message = parse_or_message(whole[:cut] + replacement + whole[cut + 1 :])
        assert "\n" not in message
        assert all(d.trace.shape[0] == 3 and 0 <= d.label <= 9 for d in digits or [])


def test_resample_is_even_and_keeps_every_lift():
    trace = np.array([np.arange(9), 10 * np.arange(9), [1, 0, 1, 1, 1, 1, 0, 1, 0]])
    # Nine steps onto five: every other one; the lifts at 1, 6 and 8 fall on 0.5, 3 and 4, and
    # rounding takes the half to the even step 0.
    np.testing.assert_array_equal(
        pendigits.resample(trace, 5), [[0, 2, 4, 6, 8], [0, 20, 40, 60, 80], [0, 1, 1, 0, 0]]
    )
    assert pendigits.resample(trace, 9) is trace


def test_original_files(original):
    dataset = pendigits.read(*original, sha256=REGISTRY["pendigits"].content_sha256)
    assert dataset.X.shape == (10992, 3, 100)
    assert (dataset.lengths.min(), np.median(dataset.lengths), dataset.lengths.max()) == (
        9,
        38,
        100,
    )
    assert np.bincount(dataset.y).tolist() == [
        *(1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055)
    ]
    assert np.unique(dataset.owner[:7494]).tolist() == list(range(1, 31))
    assert np.unique(dataset.owner[7494:]).tolist() == list(range(31, 45))
    # The first digit is an 8 that starts at (267, 333) in a box of 201..330 by 152..347.
    np.testing.assert_allclose(
        dataset.X[0, :, 0], [(267 - 265.5) / 97.5, (333 - 249.5) / 97.5, 1], rtol=1e-6
    )
    assert np.abs(dataset.X[:, :2]).max(axis=(1, 2)) == pytest.approx(np.ones(10992))
    last = dataset.X[np.arange(10992), 2, dataset.lengths - 1]
    assert not last.any()


@pytest.mark.campaign
def test_original_files_cut_short(original):
    tra, tes = original
    for length in (0, len(tra) // 2, len(tra) - 10):
        with pytest.raises(UserError, match=r"^pendigits-orig\.tra[^\n]*$"):
            pendigits.read(tra[:length], tes)
    with pytest.raises(UserError, match=r"^pendigits-orig\.tes[^\n]*$"):
        pendigits.read(tra, ncompress.compress(tes)[:200_000])
