"""Clients whose series stand beside each other."""

import numpy as np
import pytest
from made_data import dataset

from fedreact.clients.partitioners.aligned import Aligned
from fedreact.errors import UserError

OWNER = np.repeat([4, 7, 9], [10, 13, 20])


def data(**given):
    return dataset(np.arange(len(OWNER)) % 3, owner=OWNER, **given)


def test_all_have_as_many_as_the_shortest_the_last_for_tests():
    drawn = Aligned().deal(data(), 0)
    assert [of.tolist() for of in drawn.train] == [
        list(range(first, first + 8)) for first in (0, 10, 23)
    ]
    assert [of.tolist() for of in drawn.test] == [[8, 9], [18, 19], [31, 32]]


def test_who_has_too_few_is_no_client():
    drawn = Aligned(series=12, test_share=0.25).deal(data(), 0)
    assert [len(of) for of in drawn.train] == [9, 9]
    assert drawn.test[1].tolist() == [32, 33, 34]
    with pytest.raises(UserError, match=r"has 1 owners with 14 series, not 2"):
        Aligned(clients=2, series=14).deal(data(), 0)


def test_owners_are_drawn_from_the_seed():
    seen = {tuple(of[0] for of in Aligned(clients=2).deal(data(), s).train) for s in range(20)}
    assert seen == {(0, 10), (0, 23), (10, 23)}
    with pytest.raises(UserError, match="has 3 owners, not 4"):
        Aligned(clients=4).deal(data(), 0)


def test_series_stand_in_the_order_of_time():
    time = np.arange(len(OWNER))[::-1].astype(float)
    drawn = Aligned().deal(data(time=time), 0)
    assert drawn.test[2].tolist() == [34, 33]
    assert drawn.train[2].tolist() == list(range(42, 34, -1))


def test_or_at_times_that_all_have():
    # The second owner begins at 3, the third has every second time from 0 on.
    time = np.r_[np.arange(10), np.arange(3, 16), 2.0 * np.arange(20)].astype(float)
    drawn = Aligned(clock="common", test_share=0.3).deal(data(time=time), 0)
    both = [np.r_[a, b] for a, b in zip(drawn.train, drawn.test, strict=True)]
    assert [time[of].tolist() for of in both] == [[4, 6, 8]] * 3


def test_data_must_say_whose_and_when():
    with pytest.raises(UserError, match="does not say whose"):
        Aligned().deal(dataset(np.arange(9) % 3), 0)
    with pytest.raises(UserError, match="does not say of when"):
        Aligned(clock="common").deal(data(), 0)
    apart = np.arange(len(OWNER)).astype(float)
    with pytest.raises(UserError, match="too few series that clients share"):
        Aligned(clock="common").deal(data(time=apart), 0)
