"""Strategy 1: clusters switch between two distributions."""

import numpy as np
import pytest

from fedreact.clients.drifts.schedule import schedule
from fedreact.clients.drifts.switching import Switching
from fedreact.errors import UserError

CLUSTERS = np.repeat([0, 1, 2], [33, 33, 34])
TWO_STATES = np.random.default_rng(0).dirichlet(np.ones(10), (3, 2))
T = 2000


def test_switching_is_the_markov_chain_asked_for():
    plan = schedule(CLUSTERS, TWO_STATES, T, 0, Switching(p01=0.1, p10=0.3))
    assert (plan.truth == CLUSTERS).all()
    first = [0, 33, 66]  # a client of each cluster
    state = (plan.shares[:, first] == TWO_STATES[:, 1]).all(-1).astype(int)
    is_0 = (plan.shares[:, first] == TWO_STATES[:, 0]).all(-1)
    assert (state + is_0 == 1).all()
    # All clients of a cluster are in its state.
    assert (plan.shares == plan.shares[:, first][:, CLUSTERS]).all()
    before, after = state[:-1], state[1:]
    assert after[before == 0].mean() == pytest.approx(0.1, abs=0.02)
    assert 1 - after[before == 1].mean() == pytest.approx(0.3, abs=0.04)
    # Stationary: a quarter of the time in state 1; the long run is the mixture.
    np.testing.assert_allclose(
        plan.long_run[0, 0], 0.75 * TWO_STATES[0, 0] + 0.25 * TWO_STATES[0, 1]
    )
    np.testing.assert_allclose(plan.shares[:, 0].mean(0), plan.long_run[0, 0], atol=0.03)


def test_a_chain_of_certain_switches_alternates():
    plan = schedule(CLUSTERS, TWO_STATES, 10, 0, Switching(p01=1, p10=1))
    assert (plan.shares[1:] != plan.shares[:-1]).any(-1).all()
    assert (plan.shares[2:] == plan.shares[:-2]).all()


def test_a_state_that_is_never_left_is_where_the_chain_starts():
    plan = schedule(CLUSTERS, TWO_STATES, 10, 0, Switching(p01=0.2, p10=0))
    assert (plan.shares == TWO_STATES[CLUSTERS, 1]).all()
    np.testing.assert_array_equal(plan.long_run[0], TWO_STATES[CLUSTERS, 1])


def test_without_two_states_or_a_switch_there_is_no_drift():
    with pytest.raises(UserError, match="two states"):
        schedule(CLUSTERS, TWO_STATES[:, :1], 5, 0, Switching(p01=0.1, p10=0.1))
    with pytest.raises(UserError, match="p01 and p10 are 0; without a switch"):
        schedule(CLUSTERS, TWO_STATES, 5, 0, Switching(p01=0, p10=0))
