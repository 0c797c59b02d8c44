"""Cluster models of a round, and the names of clusters from round to round."""

import numpy as np

from fedreact.aggregation.clusters import match_labels, round_models, unchanged


def test_models_of_clusters_without_anyone_present_are_made_of_what_was_sent_last():
    uploaded = np.array([[1.0], [5.0], [np.nan], [np.nan], [np.nan]])
    saved = np.array([[1.0], [5.0], [4.0], [10.0], [np.nan]])
    present = np.array([True, True, False, False, False])
    models, observed = round_models(
        *(uploaded, np.array([1, 3, 1, 2, 7]), present, saved),
        *(np.array([0, 0, 1, 1, -1]), 3),
    )
    # Cluster 0 from who is present; 1 from what its members sent last; nobody is in 2.
    np.testing.assert_allclose(models, [[4.0], [8.0], [0.0]])
    assert observed.tolist() == [True, False, False]


def test_models_of_a_round_in_which_all_take_part_are_their_means():
    uploaded = np.array([[1.0], [5.0], [7.0]])
    saved = np.full((3, 1), np.nan)
    labels = np.array([0, 0, 1])
    models, observed = round_models(uploaded, np.ones(3), np.ones(3, bool), saved, labels, 2)
    assert models.tolist() == [[3.0], [7.0]]
    assert observed.all()


def test_match_labels_keeps_as_many_names_as_possible():
    before = np.array([0, 0, 0, 1, 1, 2])
    assert match_labels(np.array([2, 2, 0, 0, 0, 1]), before).tolist() == [0, 0, 1, 1, 1, 2]
    assert match_labels(before, None) is before


def test_match_labels_knows_that_minus_one_is_no_cluster():
    before, labels = np.array([1, 1, -1, 0]), np.array([0, 0, 1, -1])
    assert match_labels(labels, before).tolist() == [1, 1, 0, -1]


def test_unchanged_clusters():
    labels = np.array([0, 0, 1, 1, 2])
    assert unchanged(labels, labels).all()
    assert not unchanged(labels, None).any()
    # Client 1 moves from cluster 0 to 1: both change, cluster 2 does not.
    moved = np.array([0, 1, 1, 1, 2])
    assert unchanged(moved, labels).tolist() == [False, False, False, False, True]
