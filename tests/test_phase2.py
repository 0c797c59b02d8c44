"""Rounds of Phase 2 on a toy problem, and how they are scored."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score
from sklearn.metrics import rand_score as sklearn_rand_score

from fedreact import phase2
from fedreact.methods import METHODS, Phase2Setting
from fedreact.partition import Partition
from fedreact.rng import generator
from fedreact.scoring import HeldOut, rand_score
from fedreact.task_models import decision

N, D = 600, 8
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 4, N)
FEATURES = (np.eye(4)[Y] @ RNG.normal(size=(4, D)) + RNG.normal(size=(N, D))).astype(np.float32)


def toy(sizes=(2, 3)):
    """Cluster c holds labels 2 c and 2 c + 1."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    train, test = [], []
    for c in clusters:
        mine = RNG.permutation(np.flatnonzero(c == Y // 2))
        train.append(mine[:150])
        test.append(mine[150:200])
    return Partition(clusters, train, test, np.zeros((2, 4), int))


def run(partition, rounds=6, seed=0, **options):
    setting = Phase2Setting(len(np.unique(partition.clusters)))
    methods = {name: make(setting) for name, make in METHODS.items()}
    return list(phase2.run(FEATURES, Y, partition, methods, rounds, seed, 16, **options))


def test_clear_clusters_are_found_and_models_work():
    scores = run(toy())
    assert len(scores) == 6 * len(METHODS)
    assert [s.t for s in scores[:: len(METHODS)]] == [1, 2, 3, 4, 5, 6]
    assert all(s.rand == 1 for s in scores)
    assert all(0.75 < s.accuracy < 1 for s in scores)


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_same_seed_same_scores(loss):
    partition = toy()
    assert run(partition, loss=loss) == run(partition, loss=loss)
    assert run(partition, loss=loss) != run(partition, loss=loss, seed=1)


def test_a_client_with_fewer_samples_than_a_round_asks_for():
    partition = toy()
    partition.train[0] = partition.train[0][:5]
    assert len(run(partition)) == 6 * len(METHODS)


def test_labelled_samples_are_the_clients_own_without_repetition():
    train = [np.arange(10, 40), np.arange(100, 104)]
    at, valid = phase2.labelled_samples(train, 8, seed=0, t=3)
    assert valid.sum(1).tolist() == [8, 4]
    for k in range(2):
        drawn = at[k, valid[k]]
        assert len(set(drawn)) == len(drawn)
        assert np.isin(drawn, train[k]).all()
    again, _ = phase2.labelled_samples(train[:1], 8, seed=0, t=3)
    assert np.array_equal(again[0], at[0])  # whoever else takes part
    other, _ = phase2.labelled_samples(train, 8, seed=0, t=4)
    assert not np.array_equal(other[0], at[0])


def test_standardise_uses_train_samples_only():
    features = np.array([[0.0, 5.0], [2.0, 5.0], [100.0, 7.0]], dtype=np.float32)
    scaled = phase2.standardise(features, [np.array([0, 1]), np.array([0, 1])])
    np.testing.assert_allclose(scaled, [[-1, 0], [1, 0], [99, 2]])


def test_accuracy_is_the_mean_over_clients_of_unequal_test_sets():
    rng = np.random.default_rng(1)
    test = [np.arange(0, 50), np.arange(50, 57), np.array([99])]
    weights = rng.normal(size=(2, 3, 4, D + 1)).astype(np.float32)
    found = HeldOut(FEATURES, Y, test).accuracy(weights)
    for method in range(2):
        by_client = [
            accuracy_score(
                Y[at], decision(weights[method, k : k + 1], FEATURES[None, at])[0].argmax(1)
            )
            for k, at in enumerate(test)
        ]
        assert found[method] == pytest.approx(np.mean(by_client))


def test_rand_score_is_that_of_the_paper():
    # ICLR 4.1.2: (TP + TN) / TOT over pairs. Pairs of 4 clients: 6. Truth {01}{23}, found {012}{3}:
    # TP: 01; TN: 03, 13; so 3 of 6.
    assert rand_score([0, 0, 1, 1], [0, 0, 0, 1]) == 0.5
    assert rand_score is sklearn_rand_score


def test_generators_are_told_apart_by_seed_purpose_and_keys():
    def first(*key):
        return generator(*key).integers(2**62)

    assert first(0, "a", 1, 2) == first(0, "a", 1, 2)
    different = {first(0, "a"), first(1, "a"), first(0, "b"), first(0, "a", 0), first(0, "a", 0, 0)}
    assert len(different) == 5
