"""Summary features of series, which a simple model can read.

For each channel, with its observed steps x_1 ... x_n:

    level        mean, median, last value
    spread       standard deviation, minimum, maximum, quartiles
    course       slope of the least-squares line a step, mean absolute difference of neighbours
    recent       the last values, for regressions

A forecast depends most on what was measured last, and a linear model on the last values is an
autoregression: persistence is one of its special cases. So regressions have these values, too.
"""

from collections.abc import Iterator

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows

SUMMARIES = (
    "mean",
    "standard deviation",
    "minimum",
    "lower quartile",
    "median",
    "upper quartile",
    "maximum",
    "slope",
    "mean absolute difference",
    "last value",
)
"""Features of a channel, in their order."""
RECENT = 8
"""Last values of each channel that a regression reads, if nothing is said."""
TOGETHER = 2000
"""Series whose features are computed at once."""


def features(data: SeriesDataset, recent: int) -> np.ndarray:
    """Compute the features of all series.

    Parameters
    ----------
    recent
        Number of last values; a shorter series repeats its first value before them.

    Returns
    -------
    numpy.ndarray
        ``float64 [N, channels (10 + recent)]``: channel by channel, :data:`SUMMARIES`, then the
        last values from the earliest on.
    """
    recent = min(recent, data.task.steps)
    computed = np.zeros((len(data.X), data.task.channels * (len(SUMMARIES) + recent)))
    for places in _same_length(data.lengths):
        X = data.X[places]
        if isinstance(data.X, Windows):
            X = X.transpose(0, 2, 1)
        computed[places] = _of_equal(X[:, :, : data.lengths[places[0]]].astype(float), recent)
    return computed


def _same_length(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the places of series of one length, at most :data:`TOGETHER` at a time."""
    order = np.argsort(lengths, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        yield from (group[i : i + TOGETHER] for i in range(0, len(group), TOGETHER))


def _of_equal(X: np.ndarray, recent: int) -> np.ndarray:
    """Compute the features ``[n, channels (10 + recent)]`` of series ``[n, channels, T]``."""
    T = X.shape[2]
    t = np.arange(T) - (T - 1) / 2
    quartiles = np.quantile(X, [0.25, 0.5, 0.75], axis=2)
    steps = np.abs(np.diff(X, axis=2)).mean(2) if T > 1 else np.zeros(X.shape[:2])
    parts = [
        X.mean(2),
        X.std(2),
        X.min(2),
        *quartiles,
        X.max(2),
        X @ t / max(float(t @ t), 1.0),
        steps,
        X[:, :, -1],
    ]
    last = np.maximum(np.arange(T - recent, T), 0)
    summary = np.concatenate([np.stack(parts, axis=2), X[:, :, last]], axis=2)
    return summary.reshape(len(X), -1)
