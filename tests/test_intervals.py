"""Means over seeds and their intervals."""

import numpy as np
import pytest

from fedreact import intervals


def test_summary_by_hand():
    # 0.1, 0.2, 0.3: mean 0.2, sd 0.1, t(0.975, 2) = 4.302653.
    s = intervals.summarise([0.1, 0.2, 0.3])
    assert s.mean == pytest.approx(0.2)
    assert s.ci[1] - s.mean == pytest.approx(4.302653 * 0.1 / 3**0.5, rel=1e-6)
    assert s.prediction[1] - s.mean == pytest.approx(4.302653 * 0.1 * (4 / 3) ** 0.5, rel=1e-6)


def test_intervals_stay_within_the_scores_bounds():
    s = intervals.summarise([0.9, 1.0], (0.0, 1.0))
    assert s.ci == (pytest.approx(0.95 - 0.635310), 1.0)


def test_one_seed_has_no_interval():
    assert np.isnan(intervals.summarise([0.5]).ci).all()
