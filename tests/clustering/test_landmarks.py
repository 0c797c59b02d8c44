"""Landmarks in place of all pairs, by hand and against all pairs."""

from functools import partial

import numpy as np
import pytest

from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity
from fedreact.clustering.landmarks import affect_by_landmarks, nearest, similarity_to
from fedreact.kinds.clustered.algorithms.fed_react import FedReact
from fedreact.kinds.clustered.contract import Setting, Uploads
from fedreact.kinds.clustered.scoring import rand_score

CLUSTER = partial(agglomerative, n_clusters=3)


def models(K=60, spread=1.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=K)
    centres = np.random.default_rng(1).normal(size=(3, 8))
    return (centres[truth] + spread * rng.normal(size=(K, 8))).astype(np.float32), truth


def test_similarities_are_columns_of_all():
    weights, _ = models()
    weights[[3, 5]] = 0
    some = np.array([1, 5, 8])
    np.testing.assert_allclose(
        similarity_to(weights, some), cosine_similarity(weights)[:, some], atol=1e-6
    )


@pytest.mark.parametrize("before", [0.0, 1.0])
def test_all_clients_as_landmarks_are_affect_itself(before):
    weights, _ = models()
    W = cosine_similarity(weights)
    past = before * cosine_similarity(models(seed=2)[0])
    expected = affect(W, past, CLUSTER, 0.3)
    found = affect_by_landmarks(W, past, CLUSTER, 0.3, landmarks=np.arange(60))
    np.testing.assert_allclose(found[0], expected[0])
    assert found[1] == expected[1]
    assert np.array_equal(found[2], expected[2])


def test_a_client_joins_the_cluster_that_is_most_similar_on_average():
    psi = np.array([[1, 0.5, 0.0], [0.5, 1, 0.1], [0, 0.1, 1], [0.9, 0.0, 0.4], [0.6, 0.0, 0.4]])
    labels = nearest(psi, np.array([0, 1, 2]), np.array([0, 0, 1]))
    # Means of client 3 are .45 and .4, those of client 4 .3 and .4.
    assert labels.tolist() == [0, 0, 1, 0, 1]


def run(presence, rounds=3, **options):
    algorithm = FedReact(Setting(3, seed=4), **options)
    K, states = len(presence[0]), []
    state = algorithm.init(K, (2, 4))
    for t in range(1, rounds + 1):
        there = np.array(presence[min(t, len(presence)) - 1])
        weights, truth = models(K, 0.3, seed=7)
        weights += 0.1 * np.random.default_rng(t).normal(size=weights.shape).astype(np.float32)
        uploads = Uploads(t, t == rounds, weights, np.ones(K, int), there, None)
        state, held, labels = algorithm.round(state, uploads)
        states.append((state, held, labels))
    return states, truth


def test_with_few_landmarks_the_clusters_are_those_of_all_pairs():
    everybody = [np.ones(60, bool)]
    of_all, truth = run(everybody)
    of_some, _ = run(everybody, similarity="landmarks", landmarks=12)
    for (_, _, all_pairs), (state, _, some) in zip(of_all, of_some, strict=True):
        assert rand_score(all_pairs, some) == 1 == rand_score(truth, some)
        assert state.clusters.psi.shape == (60, 12)
    chosen = [state.clusters.landmarks for state, _, _ in of_some]
    assert all(np.array_equal(one, chosen[0]) for one in chosen)


def test_as_many_landmarks_as_clients_are_all_pairs():
    everybody = [np.ones(20, bool)]
    for (_, one, _), (state, other, _) in zip(
        run(everybody)[0], run(everybody, similarity="landmarks", landmarks=20)[0], strict=True
    ):
        assert np.array_equal(one, other)
        assert state.clusters.landmarks is None


def test_clients_that_come_later_are_clustered_by_the_landmarks_that_are_there():
    first = np.arange(60) < 40
    states, truth = run([first, np.ones(60, bool)], similarity="landmarks", landmarks=12)
    assert (states[0][2][40:] == -1).all()
    assert states[0][0].clusters.landmarks.max() < 40
    assert rand_score(truth, states[1][2]) == 1
    snapshots, _ = run([first], similarity="landmarks", landmarks=12, evolutionary=False)
    assert rand_score(truth[:40], snapshots[0][2][:40]) == 1
