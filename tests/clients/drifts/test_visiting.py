"""Strategy 2: clients visit other clusters for a round."""

import numpy as np
import pytest

from fedreact.clients.drifts.schedule import schedule
from fedreact.clients.drifts.visiting import Visiting
from fedreact.clients.partitioners.supports import disjoint_supports

CLUSTERS = np.repeat([0, 1, 2], [33, 33, 34])
SUPPORTS = disjoint_supports([3, 3, 4], np.random.default_rng(0))
T = 2000


def test_visitors_adopt_the_other_clusters_distribution_for_a_round():
    plan = schedule(CLUSTERS, SUPPORTS, T, 0, Visiting(probability=0.05))
    away = plan.truth != CLUSTERS
    assert away.mean() == pytest.approx(0.05, abs=0.002)
    assert (away[1:] & away[:-1]).mean() == pytest.approx(0.05**2, abs=0.001)
    for c in (1, 2):  # both other clusters alike
        assert (plan.truth[:, :33] == c).mean() == pytest.approx(0.025, abs=0.003)
    supports = SUPPORTS[:, 0] > 0
    assert ((plan.shares > 0) <= supports[plan.truth]).all()
    # In a round all clients of a cluster have one distribution, drawn anew in each round.
    home = np.flatnonzero(~away[0][:33])
    assert (plan.shares[0, home] == plan.shares[0, home[0]]).all()
    assert not np.array_equal(plan.shares[0, home[0]], plan.shares[1, home[0]])
    np.testing.assert_allclose(plan.long_run, SUPPORTS[CLUSTERS, 0][None].repeat(T, 0))


def test_points_of_the_simplex_are_uniform():
    plan = schedule(CLUSTERS, SUPPORTS, T, 0, Visiting(probability=0.0))
    point = plan.shares[:, -1][:, SUPPORTS[2, 0] > 0]  # four labels: Dirichlet(1, 1, 1, 1)
    np.testing.assert_allclose(point.sum(1), 1)
    np.testing.assert_allclose(point.mean(0), 1 / 4, atol=0.02)
    # Marginals are Beta(1, 3): variance 3 / (16 * 5).
    np.testing.assert_allclose(point.var(0), 3 / 80, rtol=0.1)
