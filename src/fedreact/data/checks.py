"""Checks of a dataset of the right form whose results would mean nothing."""

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows

FEW = 5
"""Series of a label, below which labels look like numbers."""

MANY = 20
"""Labels that are many, if there are few series of each."""

UNLIKE = 100
"""Ratio of the spreads of two channels above which it is reported."""


def findings(data: SeriesDataset, stated: bool = False) -> list[str]:
    """Return a sentence for each thing that is suspicious.

    Channels and steps that a registry has ``stated`` are not questioned.
    """
    task, n = data.task, len(data.X)
    sentences: list[str] = []
    if task.channels > task.steps and not stated:
        sentences.append(
            f"Series have {task.channels} channels and {task.steps} steps: if it is the other way "
            "round, X is transposed; it should be [N, channels, T]."
        )
    constant = _constant(data)
    if constant == n:
        sentences.append("No series changes over its steps.")
    elif constant > n / 2:
        sentences.append(f"{constant} of {n} series do not change over their steps.")
    if not stated:
        sentences += _channels(data)
    if task.kind == "classification" and task.outputs > MANY:
        rare = int((np.bincount(data.y, minlength=task.outputs) < FEW).sum())
        if rare > task.outputs / 4:
            sentences.append(
                f"There are {task.outputs} labels for {n} series, {rare} of them for fewer than "
                f"{FEW}: if they are numbers to be predicted, y should be floats."
            )
    if task.kind == "regression" and (data.y == data.y[:1]).all():
        sentences.append("All targets are the same number.")
    elif task.kind == "regression" and (number := _whole_numbers(data.y)) <= MANY:
        sentences.append(
            f"Targets are {number} different whole numbers: if they are labels, y should be "
            "integers."
        )
    if task.kind == "multi-label" and (same := int((data.y == data.y[:1]).all(0).sum())):
        sentences.append(f"{same} of {task.outputs} labels are the same for all series.")
    return sentences


def _channels(data: SeriesDataset) -> list[str]:
    """Report channels that do not change, or that spread much more than others."""
    X = data.X
    spread = X.values.std(axis=0) if isinstance(X, Windows) else X.std(axis=(0, 2))
    still, moving = np.flatnonzero(spread == 0), spread[spread > 0]
    sentences = []
    if len(still) and len(moving):
        sentences.append(f"Channels {', '.join(map(str, still))} (from 0) are the same everywhere.")
    if len(moving) and moving.max() > UNLIKE * moving.min():
        sentences.append(
            f"Channels spread between {moving.min():.2g} and {moving.max():.2g}: values are taken "
            "as they are, so scale them, or small channels have no effect."
        )
    return sentences


def _whole_numbers(y: np.ndarray) -> float:
    """Count the different whole numbers; infinitely many if not all numbers are whole."""
    values = np.unique(y)
    return len(values) if (values == np.round(values)).all() else np.inf


def _constant(data: SeriesDataset) -> int:
    """Count the series that have one value in each channel."""
    if isinstance(data.X, Windows):
        values = data.X.values
        return len(data.X) if (values == values[:1]).all() else 0
    first = data.X[:, :, :1]
    observed = np.arange(data.X.shape[2]) < data.lengths[:, None]
    return int(((first == data.X) | ~observed[:, None]).all((1, 2)).sum())
