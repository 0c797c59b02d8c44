"""Scaling of trajectories."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fedreact.data.normalise import scale_to_unit_box


def test_unit_box():
    X = np.zeros((3, 3, 4), dtype=np.float32)
    X[0] = [[0, 4, 0, 0], [1, 3, 0, 0], [7, 9, 0, 0]]
    X[1] = 5  # never moves
    X[2] = [[-1, 0, 1, 2], [0, 0, 0, 8], [1, 1, 1, 1]]
    before = X.copy()
    out = scale_to_unit_box(X, np.array([2, 4, 4]), [0, 1])
    np.testing.assert_array_equal(X, before)
    assert out.dtype == np.float32
    np.testing.assert_array_equal(out[0], [[-1, 1, 0, 0], [-0.5, 0.5, 0, 0], [7, 9, 0, 0]])
    np.testing.assert_array_equal(out[1], [[0] * 4, [0] * 4, [5] * 4])
    np.testing.assert_array_equal(
        out[2], [[-0.375, -0.125, 0.125, 0.375], [-1, -1, -1, 1], [1, 1, 1, 1]]
    )


@settings(deadline=None)
@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=6, max_size=6),
    st.integers(1, 3),
)
def test_unit_box_holds_everything(values, length):
    X = np.zeros((1, 2, 3), dtype=np.float32)
    X[0, :, :length] = np.reshape(values, (2, 3))[:, :length]
    out = scale_to_unit_box(X, np.array([length]), [0, 1])
    moves = (X[..., :length] != X[..., :1]).any()
    assert np.abs(out).max() == (1 if moves else 0)
    assert not out[..., length:].any()
