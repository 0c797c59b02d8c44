"""Universes fill the space of open choices."""

import numpy as np
import pytest

from fedreact.errors import UserError
from fedreact.multiverse.universe import Choice, changes, draw

C = Choice("C", (0.1, 1.0, 10.0), 1)
STEPS = Choice("methods.ifca.steps", (1, 3, 10, 30, 100), 4)
ENCODER = Choice("encoder", ({"encoder.rounds": 0}, {"encoder.rounds": 10, "encoder.steps": 20}))
ALL = [C, STEPS, ENCODER]


@pytest.mark.parametrize("n", [64, 100, 1000])
def test_each_value_comes_equally_often(n):
    places = draw(ALL, n, 0)
    assert places.shape == (n, 3)
    for column, choice in zip(places.T, ALL):
        share = np.bincount(column, minlength=len(choice.values)) / n
        assert share == pytest.approx(1 / len(choice.values), abs=3 / n + 0.01)


def test_pairs_of_values_come_about_equally_often_too():
    places = draw(ALL, 1024, 0)
    pairs = np.histogram2d(places[:, 0], places[:, 1], bins=(3, 5))[0] / 1024
    assert pairs == pytest.approx(1 / 15, abs=0.01)


def test_a_smaller_sample_begins_a_larger_one_and_seeds_differ():
    assert (draw(ALL, 1000, 3)[:500] == draw(ALL, 500, 3)).all()
    assert (draw(ALL, 64, 3) != draw(ALL, 64, 4)).any()
    assert draw(ALL, 1, 0).shape == (1, 3)


def test_a_universe_is_its_changes():
    assert changes(ALL, (2, 0, 1)) == {
        "C": 10.0,
        "methods.ifca.steps": 1,
        "encoder.rounds": 10,
        "encoder.steps": 20,
    }


def test_what_is_no_choice_is_refused():
    with pytest.raises(UserError, match="C: a choice has two values at least"):
        Choice("C", (1.0,))
    with pytest.raises(UserError, match="C: the default is none of its 2 values"):
        Choice("C", (1.0, 2.0), 2)
    with pytest.raises(UserError, match="no open choice"):
        draw([], 8, 0)
