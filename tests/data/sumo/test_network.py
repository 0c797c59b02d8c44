"""Streets and hills."""

import numpy as np
import pytest

from fedreact.data.sumo.network import _hills
from fedreact.rng import generator


def test_steepness_is_the_slope():
    xy = np.stack(np.meshgrid(np.arange(0, 20000, 20.0), [0.0, 1.0]), -1).reshape(-1, 2)
    slopes = []
    for i in range(30):
        z = _hills(xy, 0.03, generator(i, "test")).reshape(2, -1)
        slopes.append(np.mean((np.diff(z[0]) / 20) ** 2) + np.mean((z[1] - z[0]) ** 2))
    assert np.sqrt(np.mean(slopes)) == pytest.approx(0.03, rel=0.05)
