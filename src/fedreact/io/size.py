"""Whether values are of a size with which models train well."""

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows

FAR = 30
"""Root mean square of a channel, above which it is reported: models expect numbers near 1."""


def far(data: SeriesDataset) -> float:
    """Return the largest root mean square of a channel if it is far from 1, else 0."""
    X = data.X
    values, axes = (X.values, 0) if isinstance(X, Windows) else (X, (0, 2))
    size = float(np.sqrt(np.square(values, dtype=float).mean(axis=axes).max()))
    return size if size > FAR else 0.0


def levels_differ(data: SeriesDataset) -> bool:
    """Tell whether what is forecast differs more between clients than for each over time.

    One model for all clients then learns their levels before anything else.
    """
    if data.previous is None or data.owner is None:
        return False
    y = data.y.reshape(len(data.y), -1).astype(float)
    clients = [y[data.owner == k] for k in np.unique(data.owner)]
    means, spreads = (np.stack([f(one, 0) for one in clients]) for f in (np.mean, np.std))
    return bool((means.std(0) > spreads.mean(0)).any())


def findings(data: SeriesDataset) -> list[str]:
    """Return a sentence if values are far from 1."""
    if not (size := far(data)):
        return []
    return [
        f"Values are as large as {size:,.0f} (root mean square of a channel): models train badly "
        "on numbers far from 1, so scale them (fedreact import --scale all)."
    ]
