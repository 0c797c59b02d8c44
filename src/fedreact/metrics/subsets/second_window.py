"""A client's second test window over all targets, or its only one: see ``first_window``."""

from fedreact.metrics.subsets.contract import WindowSubset

SUBSET = WindowSubset(
    "of the second test window", lambda n, M: slice(min(1, n - 1), min(1, n - 1) + 1)
)
