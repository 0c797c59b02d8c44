"""Clients that are tested on another's samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_data import deal_by_owner

from fedreact.clients.exchange import exchanged
from fedreact.errors import UserError


@given(st.integers(2, 7), st.integers(1, 3), st.integers(0, 99))
def test_nobody_keeps_tests_of_his_own_and_all_are_used(people, parts, seed):
    owner = np.repeat(np.arange(people), 12)
    p = deal_by_owner(owner, seed, test_share=0.5, parts=parts)
    found = exchanged(p, owner, seed)
    for own, other in zip(p.test, found):
        assert owner[own[0]] != owner[other[0]]
    assert sorted(np.concatenate(found)) == sorted(np.concatenate(p.test))


def test_without_owners_every_client_is_one_and_one_alone_has_nobody():
    p = deal_by_owner(np.repeat([0, 1], 10))
    assert [s.tolist() for s in exchanged(p, None, 0)] == [s.tolist() for s in p.test[::-1]]
    with pytest.raises(UserError, match="at least two owners are needed"):
        exchanged(p, np.zeros(20, int), 0)
