"""Read from a dataset what a recipe depends on."""

import numpy as np

from fedreact import plugins
from fedreact.clients import adjacent, checks
from fedreact.clients.partitioners.owner import has_labels
from fedreact.data.dataset import SeriesDataset
from fedreact.starting.recipe import Facts

ARCHITECTURE = "cnn-strided"


def facts_of(data: SeriesDataset) -> Facts:
    """Read the facts of a dataset."""
    task = data.task
    architecture = plugins.load("models/architectures", ARCHITECTURE, "ARCHITECTURE")
    model = architecture(in_channels=task.channels, length=task.steps, n_out=task.outputs)
    trials = data.trial is not None and len(np.unique(data.trial)) < len(data.X)
    return Facts(
        task=task.kind,
        series=len(data.X),
        steps=task.steps,
        clients=_counts(data.owner),
        units=_trials(data) if trials else _counts(data.owner),
        tested=data.tested is not None,
        trials=trials,
        gap=checks.gap(data),
        labels=_labels(data),
        forecast=data.previous is not None or (task.kind == "regression" and data.time is not None),
        multiply_adds=model.multiply_adds(),
    )


def _labels(data: SeriesDataset) -> int:
    """Count the labels of windows that follow each other; 0 if series are no such windows."""
    if not has_labels(data):
        return 0
    in_order = len(adjacent.neighbours(data)[0]) > 0 or bool(checks.gap(data))
    return len(np.unique(data.y)) if in_order else 0


def _counts(owner: np.ndarray | None) -> tuple[int, ...]:
    """Count the series of each client."""
    return () if owner is None else tuple(np.bincount(owner).tolist())


def _trials(data: SeriesDataset) -> tuple[int, ...]:
    """Count the trials of each client."""
    if data.owner is None or data.trial is None:
        return ()
    pairs = np.unique(np.stack([data.owner, data.trial]), axis=1)
    return tuple(np.bincount(pairs[0]).tolist())
