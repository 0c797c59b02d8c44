"""Bring series to a common place and size."""

from collections.abc import Sequence

import numpy as np


def standardise_owners(
    X: np.ndarray, owner: np.ndarray, tested: np.ndarray | None = None
) -> np.ndarray:
    """Subtract each owner's mean from each channel, and divide by its standard deviation.

    Parameters
    ----------
    X
        ``[N, C, T]``, all of full length; a channel that does not vary becomes zero.
    owner
        ``int [N]``.
    tested
        ``bool [N]``: series that mean and spread do not depend on, unless an owner has no others.

    Returns
    -------
    numpy.ndarray
        ``float32 [N, C, T]``.
    """
    out = np.empty(X.shape, dtype=np.float32)
    for name in np.unique(owner):
        own = owner == name
        measured = own if tested is None or tested[own].all() else own & ~tested
        values = X[measured].astype(float)
        mean, spread = values.mean(axis=(0, 2))[:, None], values.std(axis=(0, 2))[:, None]
        out[own] = (X[own] - mean) / np.where(spread > 0, spread, 1)
    return out


def scale_to_unit_box(X: np.ndarray, lengths: np.ndarray, channels: Sequence[int]) -> np.ndarray:
    """Centre each series' bounding box on zero and scale its longest half-side to one.

    The bounding box is that of the observed steps. One factor serves all ``channels`` of a
    series, so its aspect ratio is kept.

    Parameters
    ----------
    X
        ``float32 [N, C, T]``, finite, in any one unit; it is left as it is.
    lengths
        ``int64 [N]``, the observed steps of each series.
    channels
        The spatial channels, e.g. ``[0, 1]``; the others are passed through.

    Returns
    -------
    numpy.ndarray
        ``float32 [N, C, T]``: the spatial channels lie in [-1, 1], and are zero after each series'
        end and throughout a series that never moves.
    """
    observed = (np.arange(X.shape[2]) < lengths[:, None])[:, None]  # [N, 1, T]
    # In float64, and relative to the low corner first: the difference is then exact, and rounding
    # cannot carry a point over the edge of the box.
    space = X[:, channels].astype(np.float64)
    low = np.where(observed, space, np.inf).min(axis=2, keepdims=True)
    side = np.where(observed, space, -np.inf).max(axis=2, keepdims=True) - low
    half = side.max(axis=1, keepdims=True) / 2
    half[half == 0] = 1
    out = X.copy()
    out[:, channels] = np.where(observed, (space - low - side / 2) / half, 0)
    return out
