"""Train samples held back for options to be chosen on."""

from dataclasses import replace

import numpy as np
import pytest

from fedreact.clients.partition import NOTHING, Partition
from fedreact.clients.validation import held_back
from fedreact.errors import UserError


def dealt(train, n_samples, held_out=NOTHING):
    """Clients with these train samples, tested on the last sample."""
    K = len(train)
    rest = (np.zeros((1, 2), np.int64), np.zeros((1, 1, 2)), held_out)
    return Partition(np.zeros(K, np.int64), train, [np.array([n_samples - 1])] * K, *rest)


def test_what_is_held_back_nobody_trains_on():
    """Clients of a cluster share samples: what one is tested on, no other trains on."""
    clients = [np.arange(60), np.arange(30, 90), np.array([5, 6])]
    given = dealt(clients, 100)
    found = held_back(given, 100, 3)
    held = set(np.concatenate(found.test))
    assert not held & set(np.concatenate(found.train))
    assert held <= set(range(90))  # tests are looked at by nobody
    assert 9 <= len(held) <= 10  # a tenth of 90, and one of the last client's if it had none
    for own, kept, of in zip(clients, found.train, found.test):
        assert sorted([*kept, *of]) == own.tolist()
        assert len(of) >= 1
    assert found.tested is None
    again, other = held_back(given, 100, 3), held_back(given, 100, 4)
    assert [list(t) for t in again.test] == [list(t) for t in found.test]
    assert [list(t) for t in other.test] != [list(t) for t in found.test]


def test_clients_that_draw_from_all_samples_neither_draw_them():
    """Where data drifts, a round's samples may be any that are not held out."""
    given = dealt([np.arange(40), np.arange(20, 60)], 100, held_out=np.arange(90, 100))
    found = held_back(given, 100, 0)
    held = set(found.tested)
    assert held == set(np.concatenate(found.test)) | held
    assert len(held) == 9  # a tenth of the 90 that are open to all, here also of both clients
    assert held < set(range(90))
    assert set(found.held_out) == held | set(range(90, 100))
    assert not held & set(np.concatenate(found.train))


def test_a_client_with_nothing_left_is_a_clear_error():
    with pytest.raises(UserError, match=r"client 1 \(cluster 1\) has too few train samples"):
        held_back(dealt([np.arange(9), np.array([20])], 30), 30, 0)


def test_a_partition_as_drawn_is_left_as_it_is():
    given = dealt([np.arange(40)], 50)
    before = replace(given, train=[given.train[0].copy()])
    held_back(given, 50, 0)
    np.testing.assert_array_equal(given.train[0], before.train[0])
