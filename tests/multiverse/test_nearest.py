"""Which universes are near to published values."""

import numpy as np
import pytest

from fedreact.multiverse.nearest import distances, nearest, p_of_nearness, shared

NAN = float("nan")


def test_distances_are_root_mean_squares_over_what_is_published():
    cells = np.array([[0.9, 0.5, 0.1], [0.6, 0.9, 0.2]])
    assert distances(cells, np.array([0.9, 0.8, NAN])) == pytest.approx(
        [0.3 / 2**0.5, 0.1 * 5**0.5]
    )
    assert nearest(np.array([0.3, 0.1, 0.2]), 2).tolist() == [1, 2]


def test_what_the_nearest_share_is_the_value_that_is_more_frequent_than_among_all():
    places = np.array([[0, 0], [1, 0], [1, 1], [1, 1]])
    found = shared(places, [0, 1], (2, 2))
    assert found.tolist() == [[0, 0.5, 0.25], [0, 1.0, 0.5]]


def test_one_table_explains_another_or_does_not():
    rng = np.random.default_rng(0)
    here = rng.random(200)
    assert p_of_nearness(here, here + 0.01 * rng.random(200), 10, rng, 999) == 0.001
    assert p_of_nearness(here, rng.random(200), 10, rng, 999) > 0.05
    assert p_of_nearness(here, -here, 10, rng, 999) == 1.0
