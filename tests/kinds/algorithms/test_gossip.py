"""Fed-REACT without a server, by hand and against the server."""

import numpy as np
import pytest

from fedreact.clustering.hierarchical import agglomerative
from fedreact.kinds.clustered.algorithms.fed_react import FedReact
from fedreact.kinds.clustered.algorithms.gossip import Gossip
from fedreact.kinds.clustered.contract import Setting, Uploads

SHAPE = (2, 3)
RNG = np.random.default_rng(0)
CENTRES = RNG.normal(size=(2, 6)) * 5
TRUTH = np.array([0, 1, 0, 1, 1])
K = len(TRUTH)


def uploads(t, present=None, last=False):
    models = (CENTRES[TRUTH] + np.random.default_rng(t).normal(size=(K, 6))).astype(np.float32)
    present = np.ones(K, bool) if present is None else np.array(present)
    return Uploads(t, last, models, np.arange(1, K + 1), present, None)


def run(algorithm, rounds=4, presence=None):
    state, lines = algorithm.init(K, SHAPE), []
    for t in range(1, rounds + 1):
        state, held, labels = algorithm.round(state, uploads(t, presence and presence[t - 1]))
        lines.append((held, labels))
    return state, lines


@pytest.mark.parametrize("memory", ["a1", "a2", "a3", "none"])
def test_with_all_as_neighbours_each_client_is_the_server(memory):
    """Everybody hears of everybody in each round, so all hold what a server would send."""
    setting = Setting(2)
    _, gossip = run(Gossip(setting, neighbours=K - 1, memory=memory))
    _, server = run(FedReact(setting, memory=memory))
    for (held, labels), (expected, clusters) in zip(gossip, server, strict=True):
        np.testing.assert_allclose(held, expected, rtol=1e-5)
        assert len({*zip(labels, clusters)}) == 2


def test_on_a_ring_of_two_a_client_knows_the_clients_beside_it():
    state, _ = run(Gossip(Setting(2), neighbours=2, graph="ring"), rounds=3)
    near = np.array([[abs(i - j) in (0, 1, K - 1) for j in range(K)] for i in range(K)])
    assert (state.fitted == 3 * near).all()


def test_forwarded_models_travel_one_client_further_in_each_round():
    state, _ = run(Gossip(Setting(2), neighbours=2, graph="ring", forwards=K), rounds=3)
    away = np.array([[min(abs(i - j), K - abs(i - j)) for j in range(K)] for i in range(K)])
    # A neighbour's model is of this round, and one at distance two of the round before.
    assert (state.fitted == 3 - np.maximum(away - 1, 0)).all()
    assert np.array_equal(state.models[0, 2], uploads(2).models[2])


def test_until_as_many_clients_as_clusters_are_known_a_client_keeps_to_itself():
    algorithm = Gossip(Setting(4), neighbours=2, graph="ring")
    _, ((held, _), *_) = run(algorithm, rounds=1)
    assert np.array_equal(held, uploads(1).models)
    assert algorithm.traffic() == (2, 2)
    assert Gossip(Setting(4), neighbours=2, forwards=3).traffic() == (8, 8)


def test_who_is_absent_neither_sends_nor_receives():
    there = [[True] * 5, [True, True, True, True, False]]
    state, lines = run(Gossip(Setting(2), neighbours=K - 1), 2, there)
    assert state.fitted[4].tolist() == [1] * 5
    assert state.fitted[0].tolist() == [2, 2, 2, 2, 1]
    assert np.array_equal(lines[0][0][4], lines[1][0][4])


def test_neighbours_are_others_and_drawn_anew():
    algorithm = Gossip(Setting(2), neighbours=2)
    drawn = [tuple(sorted(algorithm._neighbours(1, 8, t))) for t in range(1, 9)]
    assert len(set(drawn)) > 3
    assert all(len(set(some)) == 2 and 1 not in some for some in drawn)
    assert len(algorithm._neighbours(0, 2, 1)) == 1


def test_clusters_agree_best_with_what_clients_found():
    algorithm = Gossip(Setting(2))
    same = TRUTH[:, None] == TRUTH
    same[0, 1] = True  # one client errs about another one
    labels = algorithm._agreed(same, np.ones(K, bool))
    assert labels.tolist() == agglomerative((TRUTH[:, None] == TRUTH) * 1.0, 2, "average").tolist()
    assert algorithm._agreed(same, np.arange(K) < 3)[3:].tolist() == [-1, -1]
