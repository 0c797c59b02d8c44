"""Features and targets to a common scale, over the samples of all clients."""

import numpy as np


def standardise(
    values: np.ndarray, train: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bring features ``[N, D]`` or targets ``[N]`` or ``[N, M]`` to mean 0, variance 1 over train
    samples.

    A server can do so without seeing samples: sums and sums of squares are enough.

    Returns
    -------
    standardised, unit, centre
        ``unit`` is the standard deviation (1 for what is constant), ``centre`` the mean; ``[D]`` or
        numbers.
    """
    count = np.bincount(np.concatenate(train), minlength=len(values))
    mean = np.average(values, axis=0, weights=count)
    deviation = np.average((values - mean) ** 2, axis=0, weights=count) ** 0.5
    unit = np.where(deviation > 0, deviation, 1)
    return ((values - mean) / unit).astype(values.dtype), unit, mean
