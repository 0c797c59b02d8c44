"""What the clients are in each round, and who takes part."""

import numpy as np
import pytest

from fedreact import plugins
from fedreact.clients.drifts.schedule import schedule
from fedreact.clients.drifts.switching import Switching
from fedreact.clients.drifts.visiting import Visiting
from fedreact.clients.partitioners.supports import disjoint_supports
from fedreact.errors import UserError

CLUSTERS = np.repeat([0, 1, 2], [33, 33, 34])
TWO_STATES = np.random.default_rng(0).dirichlet(np.ones(10), (3, 2))
SUPPORTS = disjoint_supports([3, 3, 4], np.random.default_rng(0))


def test_without_drift_nothing_changes():
    plan = schedule(CLUSTERS, TWO_STATES, 5, 0)
    assert plan.rounds == 5
    assert plan.shares is None
    assert (plan.truth == CLUSTERS).all()
    assert plan.present.all()


@pytest.mark.parametrize(("share", "each"), [(0.33, [11, 11, 11]), (0.5, [16, 16, 17])])
def test_a_share_of_each_cluster_takes_part(share, each):
    plan = schedule(CLUSTERS, TWO_STATES, 300, 0, participation=share)
    for c in range(3):
        assert (plan.present[:, c == CLUSTERS].sum(1) == each[c]).all()
    assert plan.present.mean(0) == pytest.approx([share] * 100, abs=0.12)


def test_at_least_one_client_of_a_cluster_takes_part():
    plan = schedule(np.array([0, 1, 1]), TWO_STATES[:2], 5, 0, participation=0.01)
    assert (plan.present.sum(1) == 2).all()


def test_schedules_follow_the_seed():
    one, again, other = (
        schedule(CLUSTERS, SUPPORTS, 10, seed, Visiting(probability=0.1), 0.5) for seed in (0, 0, 1)
    )
    assert np.array_equal(one.shares, again.shares)
    assert np.array_equal(one.present, again.present)
    assert not np.array_equal(one.shares, other.shares)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drift": Switching(p01=0.1, p10=0.1)}, "two states"),
        ({"participation": 0.0}, "participation is 0.0"),
        ({"participation": 1.5}, "participation is 1.5"),
        ({"rounds": 0}, "rounds is 0; it must be at least 1"),
        ({"distributions": np.zeros((3, 1, 0)), "drift": Visiting(0.1)}, "drift needs clusters of"),
    ],
)
def test_what_cannot_be_drawn_is_said(options, words):
    given = {"distributions": SUPPORTS, "rounds": 5, "seed": 0} | options
    with pytest.raises(UserError, match=words):
        schedule(CLUSTERS, **given)


@pytest.mark.parametrize(
    ("drift", "words"),
    [
        (
            {"kind": "jumping"},
            "'jumping' is unknown among clients/drifts; "
            "known: migration, swap, switching, visiting",
        ),
        ({"kind": "visiting", "p": 1}, "unknown key p; known keys: probability"),
        ({"kind": "visiting"}, "probability is missing"),
        ({"kind": "visiting", "probability": 1.1}, "probability: expected float <= 1"),
        ({"kind": "migration", "probability": -0.1}, "probability: expected float >= 0"),
        ({"kind": "migration", "probability": "often"}, "probability: expected float, got 'often'"),
        ({"kind": "switching", "p01": 0.1}, "p10 is missing"),
        ({"probability": 0.1}, "wanted a kind and its options"),
        ("visiting", "wanted a kind and its options, got 'visiting'"),
    ],
)
def test_kinds_of_drift_that_cannot_be_are_one_line(drift, words):
    with pytest.raises(UserError, match=rf"^setting: drift: [^\n]*{words}[^\n]*$"):
        plugins.make("clients/drifts", drift, "DRIFT", "setting: drift")


def test_a_kind_of_drift_is_made_by_its_name():
    drift = plugins.make("clients/drifts", {"kind": "visiting", "probability": 1}, "DRIFT", "x")
    assert drift == Visiting(probability=1)
