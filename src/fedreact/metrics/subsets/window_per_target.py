"""A client's first M test windows, where M numbers are predicted: see ``first_window``.

The public code of FATHOM's authors calls the error of these windows that of all targets.
"""

from fedreact.metrics.subsets.contract import WindowSubset

SUBSET = WindowSubset("of one test window per target", lambda n, M: slice(0, M))
