"""Clusters that hold given labels."""

import numpy as np
import pytest
from made_data import dataset

from fedreact.clients.partitioners.labels import PARTITIONER
from fedreact.errors import UserError

TRIALS = np.repeat(np.arange(80), 3)  # three crops of each trial
HANDS = np.repeat(np.arange(80) % 2, 3)
EEG = ((0,), (1,), (0, 1))


def by_labels(trial=TRIALS, samples_per_client=40):
    dealer = PARTITIONER((3, 3, 4), EEG, samples_per_client, test_share=0.2)
    assert dealer.n_clients == 10
    return dealer.deal(dataset(HANDS, trial=trial), seed=0)


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
        (HANDS, ((0,), (1,)), "3 clusters"),
        (HANDS, ((0,), (1,), (2,)), r"labels \[0, 1\]"),
        (np.array([0, 1, 0, 1]), EEG, "cluster 1 has fewer than two trials"),
    ],
)
def test_labels_that_cannot_be_are_a_clear_error(y, labels, words):
    with pytest.raises(UserError, match=words):
        PARTITIONER((3, 3, 4), labels).deal(dataset(y), seed=0)
