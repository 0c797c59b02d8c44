"""Errors of single test windows, which published tables call errors of targets."""

from collections.abc import Sequence

import numpy as np

FIRST = ("first", "second")
"""Windows that have metrics of their own."""

FINDS = ("mae_first_windows", *(f"{of}_{i}_window" for i in FIRST for of in ("mae", "smape")))
"""What :func:`errors` gives."""


def first(tests: Sequence[np.ndarray], n_targets: int) -> np.ndarray:
    """The windows that :func:`errors` is of, ``[K, n]``, of K clients' test samples."""
    n = min(max(len(FIRST), n_targets), *map(len, tests))
    return np.stack([test[:n] for test in tests])


def errors(outputs: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """Errors of the first test windows over all targets, as means over clients, by metric.

    The public code of FATHOM's authors takes the i-th row of the test windows for the i-th target,
    so that what it calls errors of the first, second, ... target are these.

    Parameters
    ----------
    outputs, true
        ``[K, n, M]``, in the targets' units; windows beyond those of :func:`first` do not count.
    """
    error, size = np.abs(outputs - true), (np.abs(outputs) + np.abs(true)) / 2
    relative = np.divide(error, size, out=np.zeros_like(size), where=size > 0)
    n, M = outputs.shape[1:]
    found = [error[:, : min(n, M)].mean()]
    for i in range(len(FIRST)):
        at = min(i, n - 1)
        found += [error[:, at].mean(), relative[:, at].mean()]
    return dict(zip(FINDS, map(float, found), strict=True))
