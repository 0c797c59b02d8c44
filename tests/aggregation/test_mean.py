"""Means of what clients upload."""

import numpy as np

from fedreact.aggregation.mean import BLOCK, cluster_means, weighted_mean


def test_weighted_mean_by_hand():
    uploads = np.array([[1.0, 0.0], [3.0, 4.0]], dtype=np.float32)
    assert weighted_mean(uploads, np.array([1, 3])).tolist() == [2.5, 3.0]


def test_weighted_mean_of_more_weights_than_are_averaged_at_once():
    uploads = np.random.default_rng(0).normal(size=(5, 2 * BLOCK + 7)).astype(np.float32)
    n_samples = np.array([3, 1, 4, 1, 5])
    expected = np.average(uploads.astype(float), axis=0, weights=n_samples)
    found = weighted_mean(uploads, n_samples)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_cluster_means_by_hand():
    models = cluster_means(
        np.array([[1.0, 2.0], [5.0, 6.0], [9.0, 9.0]]), np.array([1, 3, 7]), np.array([0, 0, 1]), 2
    )
    np.testing.assert_allclose(models, [[4.0, 5.0], [9.0, 9.0]])


def test_cluster_means_leave_out_who_has_no_samples_or_cluster():
    uploads = np.array([[1.0], [5.0], [9.0]])
    found = cluster_means(uploads, np.array([1, 0, 1]), np.array([0, 0, -1]), 2)
    assert found.tolist() == [[1.0], [0.0]]


def test_cluster_means_do_not_see_what_absent_clients_hold():
    uploads = np.array([[1.0], [np.nan], [9.0]])
    found = cluster_means(uploads, np.array([1, 0, 1]), np.array([0, 0, 1]), 2)
    assert found.tolist() == [[1.0], [9.0]]
