"""A client's first test window, over all targets.

The public code of FATHOM's authors takes the i-th row of a client's test windows for the i-th
target. So what it calls errors of the first and second target are errors of these windows.
"""

from fedreact.metrics.subsets.contract import WindowSubset

SUBSET = WindowSubset("of the first test window", lambda n, M: slice(0, 1))
