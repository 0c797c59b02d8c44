"""Generators that are keyed by what they are for."""

import pytest

from fedreact.errors import UserError
from fedreact.rng import generator


def test_generators_are_told_apart_by_seed_purpose_and_keys():
    def first(*key):
        return generator(*key).integers(2**62)

    assert first(0, "a", 1, 2) == first(0, "a", 1, 2)
    different = {first(0, "a"), first(1, "a"), first(0, "b"), first(0, "a", 0), first(0, "a", 0, 0)}
    assert len(different) == 5


def test_a_seed_below_zero_is_refused():
    with pytest.raises(UserError, match="seed is -1"):
        generator(-1, "a")
