"""Checks of a dataset of the right form whose results would mean nothing."""

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows

FEW = 5
"""Series of a label, below which labels look like numbers."""

MANY = 20
"""Labels that are many, if there are few series of each."""

UNLIKE = 100
"""How often the spread of one channel must be that of another before it is said."""


def findings(data: SeriesDataset, stated: bool = False) -> list[str]:
    """A sentence for each thing that is suspicious; none, if nothing is.

    Where a registry has ``stated`` channels and steps, they are meant so.
    """
    task, n, found = data.task, len(data.X), []
    if task.channels > task.steps and not stated:
        found.append(
            f"Series have {task.channels} channels and {task.steps} steps: if it is the other way "
            "round, X is transposed; it should be [N, channels, T]."
        )
    constant = _constant(data)
    if constant == n:
        found.append("No series changes over its steps.")
    elif constant > n / 2:
        found.append(f"{constant} of {n} series do not change over their steps.")
    if not stated:
        found += _channels(data)
    if task.kind == "classification" and task.outputs > MANY:
        rare = int((np.bincount(data.y, minlength=task.outputs) < FEW).sum())
        if rare > task.outputs / 4:
            found.append(
                f"There are {task.outputs} labels for {n} series, {rare} of them for fewer than "
                f"{FEW}: if they are numbers to be predicted, y should be floats."
            )
    if task.kind == "regression" and (data.y == data.y[:1]).all():
        found.append("All targets are the same number.")
    elif task.kind == "regression" and (number := _whole_numbers(data.y)) <= MANY:
        found.append(
            f"Targets are {number} different whole numbers: if they are labels, y should be "
            "integers."
        )
    if task.kind == "multi-label" and (same := int((data.y == data.y[:1]).all(0).sum())):
        found.append(f"{same} of {task.outputs} labels are the same for all series.")
    return found


def _channels(data):
    """Of channels that do not change, or whose numbers are of quite another size than others'."""
    windows = isinstance(data.X, Windows)
    spread = data.X.values.std(axis=0) if windows else data.X.std(axis=(0, 2))
    still, moving = np.flatnonzero(spread == 0), spread[spread > 0]
    found = []
    if len(still) and len(moving):
        found.append(f"Channels {', '.join(map(str, still))} (from 0) are the same everywhere.")
    if len(moving) and moving.max() > UNLIKE * moving.min():
        found.append(
            f"Channels spread between {moving.min():.2g} and {moving.max():.2g}: values are taken "
            "as they are, so scale them, or small channels have no effect."
        )
    return found


def _whole_numbers(y):
    """How many different ones there are; infinitely many if not all are whole."""
    values = np.unique(y)
    return len(values) if (values == np.round(values)).all() else np.inf


def _constant(data):
    """How many series have one value in each channel."""
    if isinstance(data.X, Windows):
        values = data.X.values
        return len(data.X) if (values == values[:1]).all() else 0
    first = data.X[:, :, :1]
    observed = np.arange(data.X.shape[2]) < data.lengths[:, None]
    return int(((first == data.X) | ~observed[:, None]).all((1, 2)).sum())
