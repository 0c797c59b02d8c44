"""Scores of split learning beside metrics of outputs, and records for figures."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fedreact.metrics.confusion import ratio
from fedreact.task import Task

CHANGED = "balanced_accuracy@changed_labels"
"""The metric that a run computes itself."""

STRETCH = 48
"""Test windows, the first ones, whose attention is kept."""

MONTH = 744
"""Test windows, the first ones, whose forecasts are kept."""


def found_by_run(
    outputs: np.ndarray, true: np.ndarray, before: np.ndarray | None
) -> dict[str, float]:
    """Compute scores that need more than a window's output and target, as means over clients.

    For several labels: balanced accuracy among changed labels, those that differ from the last row
    of their window. It is the mean of the recall of labels that appear and of labels that vanish.
    Persistence scores 0, chance level is 1/2. NaN if ``before`` is unknown, or if no label of a
    client appears or none vanishes.

    Parameters
    ----------
    outputs, true
        ``[K, n, M]``, in the targets' units.
    before
        ``[K, n, M]``: labels in the last row of each window.
    """
    if true.dtype != bool:
        return {}
    if before is None:
        return {CHANGED: np.nan}
    changed = before != true
    sides = [
        ratio(
            (changed & side & ((outputs > 0) == true)).sum((1, 2)).astype(float),
            (changed & side).sum((1, 2)).astype(float),
        )
        for side in (true, ~true)
    ]
    appear, vanish = ((changed & side).any((1, 2)) for side in (true, ~true))
    both = appear & vanish
    score = float(((sides[0] + sides[1]) / 2)[both].mean()) if both.any() else np.nan
    return {CHANGED: score}


def of_forecasts(outputs: np.ndarray, true: np.ndarray) -> dict[str, np.ndarray]:
    """Return the first target in the first test windows, ``[K, n]``: forecast and actual."""
    if true.dtype.kind != "f":
        return {}
    n = min(MONTH, outputs.shape[1])
    true = true.reshape(outputs.shape)
    return {
        "forecast": outputs[:, :n, 0].astype(np.float32),
        "actual": true[:, :n, 0].astype(np.float32),
    }


def of_attention(
    attention: Mapping[str, Any], n_clients: int, n_test: int, task: Task
) -> dict[str, np.ndarray]:
    """Return the attention in the first test windows; NaN if a model has none.

    They are ``attention_time [K, n, T]``, of which a convolution leaves the last steps, and
    ``attention_features [K, n, D]``, means over a window's steps.
    """
    n = min(STRETCH, n_test)
    arrays = {
        "attention_time": np.full((n_clients, n, task.steps), np.nan, np.float32),
        "attention_features": np.full((n_clients, n, task.channels), np.nan, np.float32),
    }
    if "time" in attention:
        weights = attention["time"][:, :n].cpu().numpy()
        arrays["attention_time"][..., task.steps - weights.shape[-1] :] = weights
    if "features" in attention:
        arrays["attention_features"][:] = attention["features"][:, :n].cpu().numpy()
    return arrays
