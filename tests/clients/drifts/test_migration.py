"""Strategy 3: clients leave their clusters for good."""

import numpy as np
import pytest

from fedreact.clients.drifts.migration import Migration
from fedreact.clients.drifts.schedule import schedule
from fedreact.clients.partitioners.supports import disjoint_supports

CLUSTERS = np.repeat([0, 1, 2], [33, 33, 34])
SUPPORTS = disjoint_supports([3, 3, 4], np.random.default_rng(0))
T = 2000


def test_migrants_stay_where_they_go():
    plan = schedule(CLUSTERS, SUPPORTS, T, 0, Migration(probability=0.005))
    assert (plan.truth[0] == CLUSTERS).all()
    moved = plan.truth[1:] != plan.truth[:-1]
    assert moved.mean() == pytest.approx(0.005, abs=0.0005)
    assert ((plan.shares > 0) <= (SUPPORTS[:, 0] > 0)[plan.truth]).all()
    # After 2,000 rounds nobody remembers: a third in each cluster.
    assert np.bincount(plan.truth[-1], minlength=3) / 100 == pytest.approx([1 / 3] * 3, abs=0.15)
