"""The test for drift of FedConD, eq. 6.4: when it can fire as printed, and with counts."""

from math import erfc, sqrt

import numpy as np
import pytest

from fedreact.clients.drifts.detection import QUEUE, detected, statistic


def p_value(before, now, old, new):
    """One-sided, of a mean score of so many samples and a new one."""
    of_all = (before * old + now * new) / (old + new)
    return erfc(statistic(before, now, of_all, 1 / old + 1 / new) / sqrt(2)) / 2


def scores(*values, counts=50):
    """A queue that holds these, and their counts."""
    queue = np.full(QUEUE, np.nan, np.float32)
    queue[len(queue) - len(values) :] = values
    return queue, np.where(np.isnan(queue), np.nan, counts)


def test_the_queue_is_bounded_as_printed():
    assert QUEUE == 20


@pytest.mark.parametrize(
    ("before", "now", "p"),
    [(0.9, 0.7, 0.85), (0.9, 0.5, 0.65), (0.9, 0.3, 0.41), (0.9, 0.0, 0.15), (0.99, 0.0, 0.025)],
)
def test_as_printed_it_can_hardly_fire(before, now, p):
    """With Delta = 1 / 20 + 1 the new score counts as one sample: a fall from .9 to 0 may be."""
    assert p_value(before, now, 20, 1) == pytest.approx(p, abs=0.005)
    queue, counts = scores(*[before] * 20)
    assert detected(queue, counts, now, 50, printed=True) == (p < 0.05)
    assert detected(queue, counts, now, 50, printed=True, level=p + 0.01)
    assert not detected(queue, counts, now, 50, printed=True, level=p - 0.01)


def test_as_printed_no_fall_of_less_than_a_half_counts_for_anything():
    for before in (0.6, 0.8, 1.0):
        for fall in (0.1, 0.3, 0.49):
            assert p_value(before, before - fall, 20, 1) > 0.5


def test_with_counts_a_fall_is_found():
    """STEPD's statistic: 20 scores of 50 samples each, and 50 new samples."""
    assert p_value(0.8, 0.6, 1000, 50) == pytest.approx(0.0007, abs=0.00005)
    queue, counts = scores(*[0.8] * 20)
    assert detected(queue, counts, 0.6, 50)
    assert not detected(queue, counts, 0.6, 50, level=0.0006)
    assert not detected(queue, counts, 0.78, 50)


def test_by_hand():
    # Scores 1 and .5 of 10 and 30 samples; 0 of 10 new ones.
    queue, counts = scores(1.0, 0.5, counts=np.nan)
    counts[-2:] = 10, 30
    before, of_all, spread = 25 / 40, 25 / 50, 1 / 40 + 1 / 10
    gamma = (before - 0.5 * spread) / sqrt(of_all * (1 - of_all) * spread)
    assert statistic(before, 0.0, of_all, spread) == pytest.approx(gamma)
    p = erfc(gamma / sqrt(2)) / 2
    assert detected(queue, counts, 0.0, 10, level=1.01 * p)
    assert not detected(queue, counts, 0.0, 10, level=0.99 * p)


def test_a_rise_is_no_drift_and_neither_is_a_fall_below_the_threshold():
    queue, counts = scores(*[0.3] * 20)
    assert not detected(queue, counts, 0.9, 50)
    queue, counts = scores(*[0.8] * 20)
    assert not detected(queue, counts, 0.6, 50, delta=0.25)
    assert detected(queue, counts, 0.5, 50, delta=0.25)


def test_as_printed_neither_a_side_nor_a_threshold_is_asked_for():
    """|s - s'| of a rise from .01 to 1 is that of a fall from .99 to 0; delta is in no formula."""
    queue, counts = scores(*[0.01] * 20)
    assert detected(queue, counts, 1.0, 50, printed=True)
    queue, counts = scores(*[0.99] * 20)
    assert detected(queue, counts, 0.0, 50, printed=True, delta=0.995)
    assert not detected(queue, counts, 0.0, 50, delta=0.995)


def test_there_is_no_test_before_two_scores():
    for n in (0, 1):
        assert not detected(*scores(*[1.0] * n), 0.0, 50)
    assert detected(*scores(1.0, 1.0), 0.0, 50)


@pytest.mark.parametrize("printed", [False, True])
def test_where_the_root_has_no_value_nothing_is_found(printed):
    """All scores 0 or 1; an error above 1, as SMAPE may be, has a negative variance."""
    assert np.isnan(statistic(1.0, 1.0, 1.0, 0.1))
    assert np.isnan(statistic(1.6, 1.2, 1.58, 1.05))
    assert not detected(*scores(0.0, 0.0), 0.0, 50, printed=printed)
    assert not detected(*scores(1.6, 1.6), 1.2, 50, printed=printed)
