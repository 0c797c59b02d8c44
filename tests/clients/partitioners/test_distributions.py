"""Clients of clusters that are label distributions, of both kinds."""

import numpy as np
import pytest
from made_data import dataset

from fedreact.clients.partition import Partition
from fedreact.clients.partitioners.supports import PARTITIONER as SUPPORTS
from fedreact.clients.partitioners.supports import disjoint_supports
from fedreact.clients.partitioners.switching import PARTITIONER as SWITCHING
from fedreact.clients.partitioners.switching import switching_clusters
from fedreact.errors import UserError

Y = np.repeat(np.arange(10), 300)


@pytest.mark.parametrize(
    ("dealer", "states"),
    [
        (SWITCHING((3, 3, 4), beta=1.5, samples_per_client=1000), 2),
        (SUPPORTS((3, 3, 4), (3, 3, 4), samples_per_client=1000), 1),
    ],
)
def test_drifting_clients_follow_their_clusters_mean_distribution(tmp_path, dealer, states):
    y = np.random.default_rng(0).integers(0, 10, 20000)
    assert dealer.n_clients == 10
    drawn = dealer.deal(dataset(y), seed=0)
    assert drawn.clusters.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    assert drawn.distributions.shape == (3, states, 10)
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
    for supports in ((3, 3, 3), (3, 3, 5), (5, 5), (3, 3, 2, 2)):
        with pytest.raises(UserError, match=r"supports \[.*must give 3 clusters 10 labels in all"):
            SUPPORTS((3, 3, 4), supports).deal(dataset(Y), seed=0)


def test_supports_are_disjoint_and_of_the_sizes_asked_for():
    supports = disjoint_supports([3, 3, 4], np.random.default_rng(0))
    assert supports.shape == (3, 1, 10)
    assert ((supports[:, 0] > 0).sum(0) == 1).all()
    assert (supports[:, 0] > 0).sum(1).tolist() == [3, 3, 4]
    np.testing.assert_allclose(supports.sum(-1), 1)


def test_two_states_are_two_draws():
    states = switching_clusters(Y, 3, 0.5, seed=0)
    assert states.shape == (3, 2, 10)
    np.testing.assert_allclose(states.sum(-1), 1)
    assert not np.allclose(states[:, 0], states[:, 1])
    np.testing.assert_array_equal(switching_clusters(Y, 3, 0.5, seed=0), states)
    assert not np.array_equal(switching_clusters(Y, 3, 0.5, seed=1), states)


def test_of_each_label_one_sample_is_held_out_and_one_is_not_at_least():
    y = np.repeat([0, 1], [2, 30])
    shares = np.full((1, 1, 2), 0.5)
    for share, held_out in ((0.01, [1, 1]), (0.5, [1, 15]), (0.99, [1, 29])):
        dealer = SUPPORTS((2,), (2,), 1000, share)
        p = dealer.draw_from_all(y, shares, np.random.default_rng(0))
        assert np.bincount(y[p.held_out]).tolist() == held_out


def test_a_label_of_a_cluster_with_one_sample_is_a_clear_error():
    y = np.repeat([0, 1, 2], [30, 1, 30])
    rng, dealer = np.random.default_rng(0), SUPPORTS((2,), (3,), 10)
    with pytest.raises(UserError, match="label 1 has 1 of the samples; two are needed"):
        dealer.draw_from_all(y, np.full((1, 1, 3), 1 / 3), rng)
    # A label that no cluster has may be missing.
    p = dealer.draw_from_all(y, np.array([[[0.5, 0, 0.5]]]), rng)
    assert p.label_counts[0, 1] == 0


def test_a_client_has_samples_to_train_on_whatever_the_share():
    drawn = SUPPORTS((1, 1), (1, 1), samples_per_client=5, test_share=0.95).deal(
        dataset(np.repeat([0, 1], 300)), seed=0
    )
    assert all(len(train) == 1 for train in drawn.train)
