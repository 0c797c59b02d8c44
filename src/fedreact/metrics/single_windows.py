"""Errors of single test windows, which published tables call errors of targets.

The public code of FATHOM's authors takes the i-th row of a client's test windows for the i-th
target, so that what it calls errors of the first and second target are errors of these windows over
all targets.
"""

from collections.abc import Callable


def window(i: int) -> Callable[[int, int], slice]:
    """The i-th of n test windows, from 0, or the last one."""
    return lambda n, M: slice(min(i, n - 1), min(i, n - 1) + 1)


def as_many_as_targets(n: int, M: int) -> slice:
    """The first M of n test windows, of M targets."""
    return slice(0, M)
