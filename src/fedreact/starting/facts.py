"""Read from a dataset what a recipe depends on."""

from dataclasses import dataclass

import numpy as np

from fedreact import plugins
from fedreact.clients import adjacent, checks
from fedreact.clients.partitioners.owner import has_labels
from fedreact.data.dataset import SeriesDataset
from fedreact.encoding.spec import Options
from fedreact.encoding.train import gflops_of_features, local_training, make_encoder
from fedreact.task import Kind

ARCHITECTURE = "cnn-strided"


@dataclass(frozen=True)
class Facts:
    """What a recipe depends on.

    Attributes
    ----------
    task
        Kind of the task.
    series, steps
        Number of series, and steps of each.
    clients
        Series of each client; empty if the data names none.
    units
        What each client's test set is drawn from: its trials, else its series.
    tested
        Whether the data marks test series.
    trials
        Whether it names trials, some of several series.
    gap
        Series to leave out before a chronological test set, since windows overlap; ``None`` if
        windows overlap and are in no order.
    labels
        Number of labels of windows that have one each and follow each other in time; 0 if series
        are no such windows.
    forecast
        Whether values of the future are predicted.
    channels
        Number of channels of the series.
    multiply_adds
        Multiply-adds of the architecture for one series.
    feature_gflops
        GFLOPs of Fed-REACT's encoder for the features of one series.
    anchor_multiply_adds
        Multiply-adds of the forward passes that its loss takes for one anchor.
    """

    task: Kind
    series: int
    steps: int
    clients: tuple[int, ...]
    units: tuple[int, ...]
    tested: bool
    trials: bool
    gap: int | None
    labels: int
    forecast: bool
    channels: int
    multiply_adds: float
    feature_gflops: float
    anchor_multiply_adds: float


def facts_of(data: SeriesDataset) -> Facts:
    """Read the facts of a dataset."""
    task = data.task
    architecture = plugins.load("models/architectures", ARCHITECTURE, "ARCHITECTURE")
    model = architecture(in_channels=task.channels, length=task.steps, n_out=task.outputs)
    encoder = make_encoder(Options.encoder, task.channels)
    loss = local_training(Options(), task.channels).objective
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
        channels=task.channels,
        multiply_adds=model.multiply_adds(),
        feature_gflops=gflops_of_features(encoder, task.steps),
        anchor_multiply_adds=loss.multiply_adds(task.steps),
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
