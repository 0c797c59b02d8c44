"""Chunks of labels of unlike sizes, two for each client."""

import numpy as np
import pytest
from made_data import dataset

from fedreact.clients.partitioners.chunks import PARTITIONER
from fedreact.errors import UserError

Y = np.arange(500) % 5  # 100 of each label
SIZES = (1.0, 2.0, 3.0, 4.0)


def deal(seed=0, y=Y, **changes):
    given = {"sizes": SIZES, "n_labels": 5, "test_share": 0.2} | changes
    return PARTITIONER(**given).deal(dataset(y), seed)


@pytest.mark.parametrize("seed", range(5))
def test_a_client_has_two_chunks_of_unlike_labels_and_sizes(seed):
    p = deal(seed)
    assert len(p.train) == PARTITIONER(sizes=SIZES, n_labels=5).n_clients == 10
    chunks = []
    for k, counts in enumerate(p.label_counts):
        labels = np.flatnonzero(counts)
        assert len(labels) == 2
        assert len(set(counts[labels])) == 2
        chunks += [(label, counts[label]) for label in labels]
        assert sorted(Y[np.concatenate([p.train[k], p.test[k]])]) == sorted(
            np.repeat(labels, counts[labels])
        )
    assert sorted(chunks) == [(label, 10 * size) for label in range(5) for size in (1, 2, 3, 4)]


def test_all_samples_are_dealt_once_and_a_fifth_of_each_chunk_is_tested():
    p = deal()
    assert sorted(np.concatenate(p.train + p.test)) == list(range(500))
    for train, test in zip(p.train, p.test):
        for label in set(Y[train]):
            n = (Y[train] == label).sum(), (Y[test] == label).sum()
            assert n[0] == 4 * n[1]


def test_a_seed_is_a_draw():
    assert all(map(np.array_equal, deal(3).train, deal(3).train))
    assert not all(map(np.array_equal, deal(3).train, deal(4).train))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"sizes": (1.0, 2.0, 3.0)}, "3 chunks of each of 5 labels cannot be paired"),
        ({"n_labels": 1}, "cannot be paired"),
        ({"n_labels": 10}, "made has 5 labels, not 10; say so by n_labels: 5"),
        ({"y": np.arange(20) % 5}, "label 0 has 4 samples, too few for chunks"),
    ],
)
def test_what_cannot_be_dealt(changes, said):
    with pytest.raises(UserError, match=said):
        deal(**changes)
