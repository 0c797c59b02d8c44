"""What runs of split learning find beside metrics of outputs, and what they keep to be drawn."""

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
    """Scores that need more than a window's output and target, as means over clients.

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
    there = [(changed & side).any((1, 2)) for side in (true, ~true)]
    whole = there[0] & there[1]
    found = float(((sides[0] + sides[1]) / 2)[whole].mean()) if whole.any() else np.nan
    return {CHANGED: found}


def of_forecasts(outputs: np.ndarray, true: np.ndarray) -> dict[str, np.ndarray]:
    """The first target in the first test windows, ``[K, n]``: as it was, and as it was foretold."""
    if true.dtype.kind != "f":
        return {}
    n = min(MONTH, outputs.shape[1])
    true = true.reshape(outputs.shape)
    return {
        "forecast": outputs[:, :n, 0].astype(np.float32),
        "actual": true[:, :n, 0].astype(np.float32),
    }


def of_attention(
    seen: Mapping[str, Any], n_clients: int, n_test: int, task: Task
) -> dict[str, np.ndarray]:
    """Attention in the first test windows; NaN where a model has none.

    ``attention_time [K, n, T]``, the last steps of which are those of what a convolution left, and
    ``attention_features [K, n, D]``, means over a window's steps.
    """
    n = min(STRETCH, n_test)
    found = {
        "attention_time": np.full((n_clients, n, task.steps), np.nan, np.float32),
        "attention_features": np.full((n_clients, n, task.channels), np.nan, np.float32),
    }
    if "time" in seen:
        weights = seen["time"][:, :n].cpu().numpy()
        found["attention_time"][..., task.steps - weights.shape[-1] :] = weights
    if "features" in seen:
        found["attention_features"][:] = seen["features"][:, :n].cpu().numpy()
    return found
