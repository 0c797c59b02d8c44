"""Sobol' indices against functions whose indices are known."""

import numpy as np
import pytest

from fedreact.multiverse.indices import first_order, indices, of_function
from fedreact.multiverse.universe import Choice, draw

SIZES = (2, 3, 4)
CHOICES = [Choice(str(i), tuple(range(size))) for i, size in enumerate(SIZES)]


def additive(places):
    """The first choice adds 0 or 2, the second -1, 0 or 1, the third nothing: variances 1, 2/3."""
    return 2.0 * places[:, 0] + (places[:, 1] - 1.0)


def crossed(places):
    """Nothing by themselves: the sign of the first turns the second."""
    return (2.0 * places[:, 0] - 1) * (places[:, 1] - 1.0)


def test_an_additive_function_has_no_interactions():
    first, total, pairs = of_function(additive, SIZES, 2**13, np.random.default_rng(0))
    assert first == pytest.approx([0.6, 0.4, 0.0], abs=0.03)
    assert total == pytest.approx([0.6, 0.4, 0.0], abs=0.03)
    assert np.abs(pairs).max() < 0.05


def test_a_product_is_all_interaction():
    first, total, pairs = of_function(crossed, SIZES, 2**13, np.random.default_rng(0))
    assert first == pytest.approx([0, 0, 0], abs=0.05)
    assert total == pytest.approx([1, 1, 0], abs=0.03)
    assert pairs[0, 1] == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize("function", [additive, crossed])
def test_a_choice_without_effect_has_indices_of_exactly_zero(function):
    first, total, pairs = of_function(function, SIZES, 64, np.random.default_rng(0))
    assert (first[2], total[2]) == (0, 0)
    assert pairs[2] == pytest.approx([0, 0, 0], abs=1e-12)


def test_first_order_indices_need_no_surrogate():
    places = draw(CHOICES, 1024, 0)
    assert first_order(places, additive(places)) == pytest.approx([0.6, 0.4, 0], abs=0.01)


def test_chance_alone_explains_nothing_on_average():
    places = draw(CHOICES, 128, 0)
    noise = np.random.default_rng(0).normal(size=(200, 128))
    found = np.array([first_order(places, one) for one in noise])
    assert found.mean() < 0.01


def test_a_sample_gives_indices_with_intervals_and_says_how_well_it_is_explained():
    places = draw(CHOICES, 256, 0)
    effect = additive(places) + crossed(places)  # variances 1, 2/3 and, of the pair, 2/3
    found, pairs, fit = indices(places, SIZES, effect, 0, resamples=20, n=512)
    assert fit > 0.95
    assert found["first"].to_numpy() == pytest.approx([3 / 7, 2 / 7, 0], abs=0.03)
    assert found["total"].to_numpy() == pytest.approx([5 / 7, 4 / 7, 0], abs=0.1)
    assert pairs[0, 1] == pytest.approx(2 / 7, abs=0.1)
    assert (found["first_low"] <= found["first"]).all()
    again, *_ = indices(places, SIZES, effect, 0, resamples=20, n=512)
    assert again.equals(found)


def test_an_effect_that_never_changes_has_no_indices():
    places = draw(CHOICES, 16, 0)
    assert (first_order(places, np.ones(16)) == 0).all()
    assert (
        of_function(lambda at: np.ones(len(at)), SIZES, 8, np.random.default_rng(0))[1].sum() == 0
    )
