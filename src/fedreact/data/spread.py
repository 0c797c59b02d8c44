"""How much the values of a dataset vary: of all clients, and of each."""

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows


def spread_of_channels(data: SeriesDataset) -> np.ndarray:
    """Return the standard deviation of each channel over all series and steps ``[C]``."""
    X = data.X
    spread: np.ndarray = X.values.std(axis=0) if isinstance(X, Windows) else X.std(axis=(0, 2))
    return spread


def spread_of_clients(data: SeriesDataset, owner: np.ndarray) -> np.ndarray:
    """Return each client's standard deviation of each channel ``[clients, C]``, NaN if it is 0.

    ``owner [N]`` says whose each series is; clients are in the order of their numbers.
    """
    numbers, place = np.unique(owner, return_inverse=True)
    sums = np.zeros((3, len(numbers), data.task.channels))
    each = max(1, 2_000_000 // (data.task.channels * data.task.steps))
    for first in range(0, len(data.X), each):
        some = slice(first, first + each)
        if isinstance(data.X, Windows):
            values = data.X[np.arange(len(data.X))[some]].astype(float)
        else:
            values = data.X[some].transpose(0, 2, 1).astype(float)
        lengths = np.broadcast_to(data.lengths[some, None], (len(values), values.shape[2]))
        for total, part in zip(sums, (lengths, values.sum(1), (values**2).sum(1))):
            np.add.at(total, place[some], part)
    n, first_moment, second_moment = sums
    variance = second_moment / n - (first_moment / n) ** 2
    return np.where(variance > 1e-12 * second_moment / n, variance, np.nan) ** 0.5
