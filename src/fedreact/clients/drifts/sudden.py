"""Sudden drift: for a while the inputs of some clients are replaced (section 6.3.3)."""

from collections.abc import Sequence

import numpy as np

from fedreact.data.windows import Windows
from fedreact.rng import generator


def drifting(n_clients: int, share: float, seed: int) -> np.ndarray:
    """Draw which clients drift ``bool [K]``, a share of them (``C`` of section 6.3.3)."""
    chosen = np.zeros(n_clients, bool)
    rng = generator(seed, "drifting clients")
    chosen[rng.permutation(n_clients)[: round(share * n_clients)]] = True
    return chosen


def with_drift(
    X: np.ndarray | Windows,
    clients: Sequence[np.ndarray],
    which: np.ndarray,
    stretch: tuple[float, float],
    bounds: tuple[float, float] | None,
    seed: int,
) -> np.ndarray | Windows:
    """Return series whose inputs are changed for some clients; labels stay.

    Parameters
    ----------
    X
        ``[N, T, channels]``.
    clients
        K arrays of train samples, in the order in which they arrive.
    which
        ``bool [K]``: the clients that drift.
    stretch
        Where drift begins in a client's samples, and how long it lasts, as shares of them.
    bounds
        Inputs become uniformly random between these two; ``None``: noise of spread 0.5 is added,
        and they are cut to 0 to 1 (images).

    Returns
    -------
    numpy.ndarray or Windows
        A copy. Of windows of a recording, the steps that end such a sample are changed; the windows
        that reach back to them hold them as well.
    """
    changed: np.ndarray = X.values.copy() if isinstance(X, Windows) else X.copy()
    for k in np.flatnonzero(which).tolist():
        n = len(clients[k])
        first, length = round(stretch[0] * n), max(1, round(stretch[1] * n))
        samples = clients[k][first : first + length]
        rows = X.starts[samples] + X.length - 1 if isinstance(X, Windows) else samples
        rng, shape = generator(seed, "sudden drift", k), changed[rows].shape
        if bounds is None:
            noisy = changed[rows] + rng.normal(0, 0.5, shape)
            changed[rows] = np.clip(noisy, 0, 1).astype(changed.dtype)
        else:
            low, high = bounds
            changed[rows] = rng.uniform(low, high, shape).astype(changed.dtype)
    return Windows(changed, X.starts, X.length) if isinstance(X, Windows) else changed
