"""Counting clusters: criteria within AFFECT and on each round alone."""

import numpy as np
import pytest
from made_data import dataset

from fedreact.clients.partition import Partition
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity
from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds import contract
from fedreact.kinds.cluster_counts import run as counts
from fedreact.kinds.cluster_counts.algorithms.criterion import Criterion
from fedreact.kinds.cluster_counts.contract import Setting
from fedreact.kinds.cluster_counts.spec import Options, check


def similarities(seed, noise, sizes=(6, 6, 8)):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(len(sizes), 20))
    models = centres[np.repeat(np.arange(len(sizes)), sizes)]
    return cosine_similarity(models + noise * rng.normal(size=models.shape))


def test_scores_by_hand():
    # Three clusters instead of two. Of six pairs, {0, 1} is together in both, {2, 3} in one.
    found = counts.scores(np.array([0, 0, 1, 2]), np.array([5, 5, 1, 1]))
    assert found == {"n_clusters": 3, "count_error": 1, "count_right": 0, "rand": 5 / 6}
    right = counts.scores(np.array([0, 1]), np.array([1, 0]))
    assert right == {"n_clusters": 2, "count_error": 0, "count_right": 1, "rand": 1}


def test_nothing_is_right_where_the_true_clusters_are_not_known():
    found = counts.scores(np.array([0, 0, 1]), None)
    assert found.pop("n_clusters") == 2
    assert np.isnan(list(found.values())).all()


def test_with_the_true_number_it_is_affect():
    rounds = [similarities(seed, 0.4) for seed in range(4)]
    memory, psi, alpha = None, np.zeros_like(rounds[0]), 0.0
    for W in rounds:
        memory, labels = Criterion(Setting(10), "elbow").round(memory, W)
        psi, alpha, expected = affect(W, psi, lambda s: agglomerative(s, 3), alpha, 5)
        assert labels.tolist() == expected.tolist()
    np.testing.assert_array_equal(memory.psi, psi)
    assert memory.alpha == alpha


def test_memory_finds_the_number_that_single_rounds_miss():
    rounds = [similarities(seed, 1.8) for seed in range(20)]
    alone, smoothed, memory = [], [], None
    for W in rounds:
        alone.append(Criterion(Setting(6), "silhouette", smoothed=False).round(None, W)[1].max())
        memory, labels = Criterion(Setting(6), "silhouette").round(memory, W)
        smoothed.append(labels.max())
    assert np.mean(np.array(alone) == 2) < 0.5
    assert np.mean(np.array(smoothed[10:]) == 2) > 0.9


def test_lines_of_a_run(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(4), 60)
    features = (rng.normal(size=(4, 6))[y] + 0.1 * rng.normal(size=(240, 6))).astype(np.float32)
    pools = [np.flatnonzero(y < 2), np.flatnonzero(y >= 2)]
    train = [rng.choice(pools[k // 4], 40, replace=False) for k in range(8)]
    clusters = np.repeat([0, 1], 4)
    none, label_counts = np.zeros(0, np.int64), np.ones((8, 4), np.int64)
    partition = Partition(clusters, train, train, label_counts, np.zeros((2, 1, 0)), none)
    inputs = contract.Inputs(dataset(y), partition, features)
    entry = {"algorithm": "criterion", "criterion": "silhouette"}
    entries = {"a": entry, "b": entry | {"smoothed": False}}
    methods = [contract.method("cluster_counts", n, e, "here") for n, e in entries.items()]
    options = Options(samples=40, rounds=3, max_clusters=5)
    lines = list(counts.run(inputs, options, methods, {}, 0, Place("cpu", 1, tmp_path)))
    assert [line.index for line in lines] == [(m, t) for t in (1, 2, 3) for m in "ab"]
    for line in lines:
        number, rand = line.values["n_clusters"], line.values["rand"]
        assert line.values["count_error"] == abs(number - 2)
        assert line.values["count_right"] == (number == 2) == (rand == 1)
    assert counts.work(options, methods, inputs.data.task, [40] * 8) > 0


def test_more_samples_than_clients_have_are_refused():
    class Drawn:
        samples_per_client = 100
        test_share = 0.1

    check(Options(samples=90), Drawn())
    with pytest.raises(UserError, match="samples: 91 is more than the 90"):
        check(Options(samples=91), Drawn())
