"""Checks of a dataset of the right form whose results would mean nothing."""

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.spread import spread_of_channels, spread_of_clients
from fedreact.data.windows import Windows

FEW = 5
"""Series of a label, below which labels look like numbers."""

MANY = 20
"""Labels that are many, if there are few series of each."""

UNLIKE = 100
"""Ratio of the spreads of two channels, or of two clients, above which it is reported."""

LARGE = 10_000
"""Spread of a channel above which, or inverse of one below which, it is reported."""


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
        sentences += [*_channels(data), *_units(data)]
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
    spread = spread_of_channels(data)
    still, moving = np.flatnonzero(spread == 0), spread[spread > 0]
    sentences = []
    if len(still) and len(moving):
        counted = "" if data.channel_names is not None else " (from 0)"
        names = ", ".join(data.channel_name(int(c)) for c in still[:MANY])
        names += f" and {len(still) - MANY} more" if len(still) > MANY else ""
        sentences.append(
            f"Channels {names}{counted} are the same everywhere: leave them out (fedreact import "
            "--channels)."
        )
    if len(moving) and moving.max() > UNLIKE * moving.min():
        sentences.append(
            f"Channels spread between {moving.min():.2g} and {moving.max():.2g}: values are taken "
            "as they are, so scale them (fedreact import --scale), or small channels have no "
            "effect."
        )
    elif len(moving) and not 1 / LARGE <= moving.max() <= LARGE:
        sentences.append(
            f"Channels spread by {moving.max():.2g}: models train badly on numbers of this size, "
            "so scale them (fedreact import --scale)."
        )
    return sentences


def _units(data: SeriesDataset) -> list[str]:
    """Report clients whose values spread by orders of magnitude more or less than most do."""
    if data.owner is None or len(np.unique(data.owner)) < 3:
        return []
    spread = spread_of_clients(data, data.owner)
    usual = np.ones(spread.shape[1])
    for c, values in enumerate(spread.T):
        if np.isfinite(values).any():
            usual[c] = np.nanmedian(values)
    ratio = spread / usual
    odd = np.nan_to_num(np.maximum(ratio, 1 / ratio), nan=1)
    clients = np.flatnonzero((odd > UNLIKE).any(1))
    if not len(clients):
        return []
    worst, channel = np.unravel_index(odd.argmax(), odd.shape)
    owner, times = int(np.unique(data.owner)[worst]), ratio[worst, channel]
    shown = f"{times:,.0f}" if times > 1 else f"{times:.2g}"
    return [
        f"{len(clients)} of {len(spread)} clients have values of another order of magnitude: "
        f"channel {data.channel_name(int(channel))} of client {data.owner_name(owner)} spreads "
        f"{shown} times as much as that of most. Bring all to one unit, or scale each client "
        "(fedreact import --scale client)."
    ]


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
