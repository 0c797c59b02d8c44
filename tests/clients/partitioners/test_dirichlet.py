"""Clusters by Dirichlet shares of each label."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_data import dataset

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.dirichlet import PARTITIONER, dirichlet_clusters
from fedreact.errors import UserError

Y = np.repeat(np.arange(10), 300)


def partition(y, sizes, beta, seed, **options):
    return PARTITIONER(sizes, beta, **options).deal(dataset(y), seed)


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


def test_a_split_for_each_client_tests_on_train_samples_of_others():
    p = partition(Y[:300], [2], beta=1.0, seed=0, samples_per_client=2400, split="client")
    for train, test in zip(p.train, p.test):
        assert (len(train), len(test)) == (270, 30)
        assert not set(train) & set(test)
    assert set(p.test[0]) & set(p.train[1])


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


def test_distributions_are_the_clusters_label_shares():
    drawn = partition(Y, [2, 3], 0.5, seed=0, samples_per_client=100)
    assert drawn.distributions.shape == (2, 1, 10)
    np.testing.assert_allclose(drawn.distributions.sum(-1), 1)
    np.testing.assert_allclose(
        drawn.distributions[:, 0] * drawn.label_counts.sum(1, keepdims=True), drawn.label_counts
    )
    assert drawn.held_out.size == 0


def test_the_partitioner_deals_as_its_options_say():
    dealer = PARTITIONER((2, 3), 0.5, samples_per_client=100, test_share=0.2, min_samples=1400)
    assert dealer.n_clients == 5
    drawn = dealer.deal(dataset(Y), seed=3)
    assert [len(samples) for samples in drawn.train] == [80] * 5
    assert [len(samples) for samples in drawn.test] == [20] * 5
    assert drawn.label_counts.sum(1).min() >= 1400
