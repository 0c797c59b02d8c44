"""What FedConD's test of drift can find."""

import numpy as np
import pytest

from fedreact.studies.detector import Detector


def shares(seeds=(0,), delta=0.0, **options):
    """First round after the fall, and any of them, by test, samples and fall, of one delta."""
    lines = list(Detector(**options).run(seeds))
    assert all(len(line) == len(Detector.COLUMNS) for line in lines)
    return {(line[1], *line[3:5]): line[5:] for line in lines if line[2] == delta}


def test_as_printed_hardly_anything_is_found():
    """Delta is 1 / 20 + 1: Gamma of a fall from .8 to 0 is below (.8 - .525) / sqrt(.18 x 1.05)."""
    found = shares(samples=(200,), falls=(0.0, 0.6, 0.8), repeats=50)
    assert [found["printed", 200, fall] for fall in (0.0, 0.6, 0.8)] == [[0, 0]] * 3
    assert found["with samples", 200, 0.6] == [1, 1]


def test_false_alarms_are_about_as_often_as_the_level_allows():
    found = shares(range(5), samples=(200,), falls=(0.0,), repeats=200, rounds=1)
    first, within = found["with samples", 200, 0.0]
    assert first == within
    assert 0 < first < 0.08


def test_larger_falls_more_samples_and_more_rounds_find_more():
    found = shares(falls=(0.05, 0.2, 0.6), repeats=300)
    for n in (10, 50, 200):
        of_n = np.array([found["with samples", n, fall] for fall in (0.05, 0.2, 0.6)])
        assert (np.diff(of_n, axis=0) >= 0).all()
        assert (of_n[:, 1] >= of_n[:, 0]).all()
    by_n = [found["with samples", n, 0.2][0] for n in (10, 50, 200)]
    assert by_n == sorted(by_n)
    assert by_n[0] < by_n[2]


def test_with_delta_smaller_falls_are_not_found():
    found = shares(delta=0.2, falls=(0.05, 0.4), samples=(200,), repeats=100)
    assert found["with samples", 200, 0.05] == [0, 0]
    assert found["with samples", 200, 0.4] == [1, 1]
    assert shares(falls=(0.1,), samples=(200,), repeats=100)["with samples", 200, 0.1][0] > 0.5


def test_a_model_falls_to_nothing_at_most():
    found = shares(accuracy=0.3, falls=(0.5, 0.9), samples=(50,), repeats=20)
    assert found["with samples", 50, 0.5] == pytest.approx(found["with samples", 50, 0.9])
