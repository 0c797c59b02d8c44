"""Clusters, clients and splits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fedreact.errors import UserError
from fedreact.partition import (
    Partition,
    dirichlet_clusters,
    drifting_partition,
    partition,
    partition_by_labels,
    partition_by_subject,
)

Y = np.repeat(np.arange(10), 300)


@pytest.mark.parametrize("sizes", [[3, 3, 4], [16, 16, 18], [33, 33, 34]])
def test_paper_sizes(sizes):
    p = partition(Y, sizes, beta=1.5, seed=0, samples_per_client=200)
    assert np.bincount(p.clusters).tolist() == sizes
    assert len(p.train) == len(p.test) == sum(sizes)
    assert all(len(s) == 180 for s in p.train)
    assert all(len(s) == 20 for s in p.test)


@settings(max_examples=40, deadline=None)
@given(
    beta=st.sampled_from([0.1, 0.5, 1.5, 100.0]),
    seed=st.integers(0, 2**31),
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
)
def test_no_sample_is_in_train_and_test_of_a_cluster_and_clusters_are_disjoint(beta, seed, sizes):
    p = partition(Y, sizes, beta, seed, samples_per_client=240, min_samples=20)
    held = []
    for c in range(len(sizes)):
        members = np.flatnonzero(p.clusters == c)
        train = set(np.concatenate([p.train[k] for k in members]))
        test = set(np.concatenate([p.test[k] for k in members]))
        assert not train & test
        held.append(train | test)
        labels = np.bincount(Y[list(train | test)], minlength=10)
        assert (labels <= p.label_counts[c]).all()
    assert sum(map(len, held)) == len(set().union(*held))
    assert p.label_counts.sum() == len(Y)
    for indices in (*p.train, *p.test):
        assert len(indices) == len(set(indices)) > 0


def test_a_cluster_with_fewer_samples_than_a_client_wants_gives_all_it_has():
    p = partition(Y[:300], [2], beta=1.0, seed=0, samples_per_client=2400)
    assert [len(s) for s in p.train] == [270, 270]
    assert [len(s) for s in p.test] == [30, 30]


def test_small_beta_is_more_heterogeneous_than_large_beta():
    def largest_share(beta):
        shares = []
        for seed in range(10):
            counts = partition(Y, [1, 1, 1], beta, seed).label_counts
            shares.append((counts.max(0) / counts.sum(0)).mean())
        return np.mean(shares)

    assert largest_share(0.1) > 0.8
    assert largest_share(100.0) < 0.45


def test_degenerate_draws_are_drawn_again():
    # One label and beta near 0: nearly every draw gives all samples to one cluster.
    y = np.zeros(400, dtype=int)
    clusters = dirichlet_clusters(y, 2, 0.2, np.random.default_rng(0), min_samples=100)
    assert min(map(len, clusters)) >= 100
    assert sorted(np.concatenate(clusters)) == list(range(400))


def test_hopeless_draws_are_a_clear_error():
    with pytest.raises(UserError, match="larger beta or fewer clusters"):
        dirichlet_clusters(np.zeros(400, int), 2, 1e-3, np.random.default_rng(0), min_samples=190)
    with pytest.raises(UserError, match="use fewer clusters or more data"):
        dirichlet_clusters(np.zeros(40, int), 3, 1.0, np.random.default_rng(0), min_samples=20)


def test_seed_decides_all(tmp_path):
    a, b, other = (partition(Y, [3, 3, 4], 0.5, seed) for seed in (1, 1, 2))
    a.save(tmp_path / "a.npz")
    b.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert not np.array_equal(a.label_counts, other.label_counts)
    loaded = Partition.load(tmp_path / "a.npz")
    for k in range(10):
        assert np.array_equal(loaded.train[k], a.train[k])
        assert np.array_equal(loaded.test[k], a.test[k])


def test_truncated_file_is_a_clear_error(tmp_path):
    path = tmp_path / "p.npz"
    partition(Y, [1, 1], 1.0, 0).save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match="not a readable partition"):
        Partition.load(path)


def test_distributions_are_the_clusters_label_shares():
    drawn = partition(Y, [2, 3], 0.5, seed=0, samples_per_client=100)
    assert drawn.distributions.shape == (2, 1, 10)
    np.testing.assert_allclose(drawn.distributions.sum(-1), 1)
    np.testing.assert_allclose(
        drawn.distributions[:, 0] * drawn.label_counts.sum(1, keepdims=True), drawn.label_counts
    )
    assert drawn.held_out.size == 0


@pytest.mark.parametrize("how", [{"beta": 1.5}, {"supports": [3, 3, 4]}])
def test_drifting_clients_follow_their_clusters_mean_distribution(tmp_path, how):
    y = np.random.default_rng(0).integers(0, 10, 20000)
    drawn = drifting_partition(y, [3, 3, 4], seed=0, samples_per_client=1000, **how)
    assert drawn.distributions.shape == (3, 2 if "beta" in how else 1, 10)
    for k, c in enumerate(drawn.clusters):
        assert not np.isin(drawn.train[k], drawn.held_out).any()
        assert np.isin(drawn.test[k], drawn.held_out).all()
        assert len(set(drawn.train[k])) == len(drawn.train[k])
        shares = np.bincount(y[drawn.train[k]], minlength=10) / len(drawn.train[k])
        np.testing.assert_allclose(shares, drawn.distributions[c].mean(0), atol=0.05)
    # A tenth of each label is held out.
    share = np.bincount(y[drawn.held_out]) / np.bincount(y)
    np.testing.assert_allclose(share, 0.1, atol=0.001)
    drawn.save(tmp_path / "p.npz")
    again = Partition.load(tmp_path / "p.npz")
    assert np.array_equal(again.distributions, drawn.distributions)
    assert np.array_equal(again.held_out, drawn.held_out)


def test_supports_must_share_out_all_labels():
    with pytest.raises(UserError, match="3 clusters 10 labels"):
        drifting_partition(Y, [3, 3, 4], seed=0, supports=[3, 3, 3])


TRIALS = np.repeat(np.arange(80), 3)  # three crops of each trial
HANDS = np.repeat(np.arange(80) % 2, 3)
EEG = [[0], [1], [0, 1]]


def by_labels(**changes):
    given = {"trial": TRIALS, "samples_per_client": 40, "test_share": 0.2} | changes
    return partition_by_labels(HANDS, [3, 3, 4], EEG, seed=0, **given)


def test_clusters_have_their_labels_and_equal_numbers_of_samples():
    p = by_labels()
    assert p.clusters.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    # 40 trials of each hand: two thirds to the clusters of that hand alone, the rest to both.
    assert p.label_counts.tolist() == [[81, 0], [0, 81], [39, 39]]
    np.testing.assert_allclose(p.distributions[:, 0], [[1, 0], [0, 1], [0.5, 0.5]])
    for k, c in enumerate(p.clusters):
        assert set(HANDS[p.train[k]]) == set(HANDS[p.test[k]]) == set(EEG[c])
        assert len(p.train[k]) == 32
        assert len(p.test[k]) == 8


def test_no_trial_is_split_between_train_and_test_or_between_clusters():
    p = by_labels(samples_per_client=1000)
    of_cluster = []
    for c in range(3):
        mine = np.flatnonzero(p.clusters == c)
        train, test = (
            set(TRIALS[np.concatenate([part[k] for k in mine])]) for part in (p.train, p.test)
        )
        assert train
        assert test
        assert not train & test
        of_cluster.append(train | test)
    assert not of_cluster[0] & of_cluster[2]
    assert set.union(*of_cluster) == set(range(80))


def test_labels_without_trials_of_their_own():
    p = by_labels(trial=None)
    assert p.label_counts.sum() == 240


@pytest.mark.parametrize(
    ("y", "labels", "words"),
    [
        (HANDS, [[0], [1]], "3 clusters"),
        (HANDS, [[0], [1], [2]], r"labels \[0, 1\]"),
        (np.array([0, 1, 0, 1]), EEG, "cluster 1 has fewer than two trials"),
    ],
)
def test_labels_that_cannot_be_are_a_clear_error(y, labels, words):
    with pytest.raises(UserError, match=words):
        partition_by_labels(y, [3, 3, 4], labels, seed=0)


def test_subjects_are_clients():
    subject = np.repeat([7, 3, 9], [20, 30, 10])
    p = partition_by_subject(subject, seed=0)
    assert p.clusters.tolist() == [0, 0, 0]
    assert [len(s) for s in p.test] == [3, 2, 1]
    for who, train, test in zip([3, 7, 9], p.train, p.test):
        assert sorted([*train, *test]) == np.flatnonzero(subject == who).tolist()
    other = partition_by_subject(subject, seed=1)
    assert any(a.tolist() != b.tolist() for a, b in zip(p.test, other.test))


def test_chronological_split_leaves_out_what_overlaps():
    p = partition_by_subject(np.repeat([0, 1], 20), seed=0, split="chronological", gap=4)
    assert p.train[1].tolist() == list(range(20, 34))
    assert p.test[1].tolist() == [38, 39]


def test_wrong_splits_are_a_clear_error(tmp_path):
    with pytest.raises(UserError, match="known: random, chronological"):
        partition_by_subject(np.zeros(20, int), seed=0, split="latest")
    with pytest.raises(UserError, match="gap is -3"):
        partition_by_subject(np.zeros(20, int), seed=0, split="chronological", gap=-3)
    with pytest.raises(UserError, match=r"client 0 .* has no train samples"):
        Partition(np.zeros(1, int), [np.arange(0)], [np.arange(2)], *[np.zeros(0)] * 3)
    with pytest.raises(UserError, match="subject 0 has 6 series, too few"):
        partition_by_subject(np.zeros(6, int), seed=0, split="chronological", gap=4)
    # What comes out can be kept like any other.
    p = partition_by_subject(np.repeat([0, 1], 20), seed=0)
    p.save(tmp_path / "p.npz")
    assert Partition.load(tmp_path / "p.npz").test[1].tolist() == p.test[1].tolist()
