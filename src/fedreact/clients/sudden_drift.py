"""Sudden drift: for a while the inputs of some clients are replaced (section 6.3.3)."""

from collections.abc import Sequence

import numpy as np

from fedreact.data.windows import Windows
from fedreact.rng import generator


def drifting(n_clients: int, share: float, seed: int) -> np.ndarray:
    """``bool [K]``: which clients drift, a share of them (``C`` of section 6.3.3)."""
    chosen = np.zeros(n_clients, bool)
    rng = generator(seed, "drifting clients")
    chosen[rng.permutation(n_clients)[: round(share * n_clients)]] = True
    return chosen


def with_drift(
    X: np.ndarray | Windows,
    clients: Sequence[np.ndarray],
    which: np.ndarray,
    at: tuple[float, float],
    values: tuple[float, float] | None,
    seed: int,
) -> np.ndarray | Windows:
    """Series whose inputs were changed for some clients; labels stay.

    Parameters
    ----------
    X
        ``[N, T, channels]``.
    clients
        K arrays of train samples, in the order in which they arrive.
    which
        ``bool [K]``.
    at
        Where it begins in a client's samples, and how long it lasts, as shares of them.
    values
        Inputs are uniformly random between these two; ``None``: noise of spread 0.5 is added, and
        they are cut to 0 to 1 (images).

    Returns
    -------
    numpy.ndarray or Windows
        A copy. Of windows of a recording, the steps that end such a sample are changed; the windows
        that reach back to them hold them as well.
    """
    windows = isinstance(X, Windows)
    changed = (X.values if windows else X).copy()
    for k in np.flatnonzero(which):
        n = len(clients[k])
        first, length = round(at[0] * n), max(1, round(at[1] * n))
        samples = clients[k][first : first + length]
        rows = X.starts[samples] + X.length - 1 if windows else samples
        rng, shape = generator(seed, "sudden drift", int(k)), changed[rows].shape
        if values is None:
            noisy = changed[rows] + rng.normal(0, 0.5, shape)
            changed[rows] = np.clip(noisy, 0, 1).astype(changed.dtype)
        else:
            changed[rows] = rng.uniform(*values, shape).astype(changed.dtype)
    return Windows(changed, X.starts, X.length) if windows else changed
