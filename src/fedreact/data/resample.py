"""Series of fewer steps."""

import numpy as np


def shorten(series: np.ndarray, n_steps: int) -> np.ndarray:
    """Resample a series to ``n_steps`` evenly spaced steps, unless it has no more than these.

    Values are interpolated linearly over the step index; the first and the last step are kept.

    Parameters
    ----------
    series
        ``[channels, length]``.
    n_steps
        The most steps of the result, at least 2.

    Returns
    -------
    numpy.ndarray
        ``[channels, min(length, n_steps)]``.
    """
    length = series.shape[1]
    if length <= n_steps:
        return series
    places = np.linspace(0, length - 1, n_steps)
    return np.stack([np.interp(places, np.arange(length), channel) for channel in series])
