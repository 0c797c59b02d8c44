"""Series of fewer steps."""

import numpy as np
import pytest

from fedreact.data.resample import shorten


@pytest.mark.parametrize("n_steps", [3, 4])
def test_a_short_series_stays_as_it_is(n_steps):
    series = np.array([[1.0, 5, 2], [0, 0, 1]])
    assert shorten(series, n_steps) is series


def test_a_long_series_keeps_its_ends():
    series = np.array([[0.0, 1, 4, 9, 16], [8, 6, 4, 2, 0]])
    # Steps 0, 4/3, 8/3 and 4.
    wanted = [[0, 2, 4 + 5 * 2 / 3, 16], [8, 8 - 8 / 3, 8 - 16 / 3, 0]]
    np.testing.assert_allclose(shorten(series, 4), wanted)
    assert shorten(series, 2).tolist() == [[0, 16], [8, 0]]
