"""The encoded polyline algorithm: its published example, and weights there and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedreact.compression.polyline import decode, encode, lengths, rounded
from fedreact.errors import UserError

POINTS = np.array([[38.5, -120.2], [40.7, -120.95], [43.252, -126.453]])
TEXT = b"_p~iF~ps|U_ulLnnqC_mqNvxq`@"
"""Google's example of a line, and what it is encoded as, at five decimals."""

NUMBERS = st.lists(st.floats(-1e6, 1e6), max_size=50)
PRECISIONS = st.integers(0, 6)


def test_the_published_example():
    """A line has differences of each coordinate, latitude and longitude in turn."""
    steps = np.diff(POINTS, axis=0, prepend=0)
    assert encode(steps.ravel(), 5) == TEXT
    latitude, longitude = (encode(of, 5, differences=True) for of in POINTS.T)
    assert latitude == b"_p~iF" + b"_ulL" + b"_mqN"
    assert longitude == b"~ps|U" + b"nnqC" + b"vxq`@"
    np.testing.assert_allclose(decode(TEXT, 5).reshape(3, 2).cumsum(0), POINTS, atol=1e-12)
    np.testing.assert_allclose(decode(latitude, 5, differences=True), POINTS[:, 0], atol=1e-12)


def test_one_number_by_hand():
    # -179.9832104 at 5 decimals: the published steps end in `~oia@.
    assert encode([-179.9832104], 5) == b"`~oia@"
    # 0 is one chunk of zeros, 63 = ?; -1 is 1 after the shift and the inversion, 64 = @.
    assert encode([0, -1, 1], 0) == b"?@A"


@given(NUMBERS, PRECISIONS, st.booleans())
def test_there_and_back(numbers, precision, differences):
    back = decode(encode(numbers, precision, differences), precision, differences)
    assert len(back) == len(numbers)
    np.testing.assert_allclose(back, numbers, rtol=1e-15, atol=0.5 * 10.0**-precision)


@given(NUMBERS, PRECISIONS)
def test_counted_bytes_are_those_of_the_text(numbers, precision):
    whole = np.rint(np.array(numbers) * 10**precision).astype(np.int64)
    assert lengths(whole).sum() == len(encode(numbers, precision))
    assert lengths(whole).tolist() == [len(encode([x], precision)) for x in numbers]


@given(st.lists(st.floats(-100, 100, width=32), max_size=50), PRECISIONS)
def test_weights_arrive_as_a_text_would_bring_them(numbers, precision):
    weights = np.array(numbers, np.float32)
    text = encode(weights, precision)
    arrived, size = rounded(weights, precision)
    assert size == len(text)
    assert arrived.dtype == np.float32
    np.testing.assert_array_equal(arrived, decode(text, precision).astype(np.float32))
    again, _ = rounded(arrived, precision)
    assert again.tobytes() == arrived.tobytes()


@pytest.mark.parametrize(
    ("precision", "plain", "differences"), [(3, 1.75, None), (4, 2.28, 2.45), (5, 2.92, None)]
)
def test_bytes_of_a_weight(precision, plain, differences):
    """Four bytes become 2.28 at FedAT's precision; differences of weights make it no less."""
    weights = np.random.default_rng(0).normal(0, 0.05, 100000)
    assert len(encode(weights, precision)) / len(weights) == pytest.approx(plain, abs=0.005)
    if differences is not None:
        size = len(encode(weights, precision, differences=True)) / len(weights)
        assert size == pytest.approx(differences, abs=0.005)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf, 1e30])
def test_what_cannot_be_encoded_is_seen(wrong):
    weights = np.array([0.5, wrong], np.float32)
    with pytest.raises(UserError, match="finite"):
        encode(weights, 4)
    arrived, _ = rounded(weights, 4)
    assert np.isnan(arrived).all()


@pytest.mark.parametrize("text", [b"_p~i", b" ", b"\xff", b"_"])
def test_what_is_no_text_of_numbers_is_refused(text):
    with pytest.raises(UserError, match="polyline"):
        decode(text, 5)
