"""The contract of a metric: a file of this folder that defines ``METRIC``.

A table, figure or claim names a metric by its file. Most are computed from a model's outputs, by
statistics that are averaged over a client's samples. Others are found by a run itself (its steps,
bytes, minutes, clusters); they only say here how they are shown.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fedreact.task import Kind

INF = float("inf")

PRIMARY: dict[Kind, str] = {
    "classification": "accuracy",
    "multi-label": "f1",
    "regression": "rmse",
}
"""The metric of a task where nothing says which."""

COMPARED = ("accuracy", "f1", "rmse", "mae", "rand")
"""By which alternatives of a ledger are compared, where scores have them."""


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes
    ----------
    title
        Title for people.
    better
        Better direction, ``higher`` or ``lower``; ``None``: neither.
    bounds
        Smallest and largest possible value.
    decimals
        Decimals in tables.
    counted
        Whether it is counted, not measured, so that it has no interval.
    kinds
        Kinds of tasks that it is computed for.
    samples
        ``samples(outputs [N, c], y [N] or [N, M]) -> [N, S]``: statistics of each sample, given
        scores of labels (several labels are true where theirs are above 0) or predicted targets;
        ``None`` if the run computes the metric itself.
    windows
        ``windows(n, c)``: which of a client's n test samples count, in their order; ``None``: all.
    client
        ``client(means [..., S]) -> [...]``: value of a client, given its samples' mean statistics.
    over
        ``over(values [K]) -> float``: value over clients, given theirs; their mean, as a rule.
    of_drifting
        Whether only drifting clients count, in runs with drift.
    power
        Values are measured in the targets' unit (1), or have none (0).
    """

    title: str
    better: Literal["higher", "lower"] | None = None
    bounds: tuple[float, float] = (-INF, INF)
    decimals: int = 3
    counted: bool = False
    kinds: tuple[Kind, ...] = ()
    samples: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    windows: Callable[[int, int], slice] | None = None
    client: Callable[[np.ndarray], np.ndarray] = lambda means: means[..., 0]
    over: Callable[[np.ndarray], float] = np.mean
    of_drifting: bool = False
    power: int = 0

    def score(self, outputs: np.ndarray, y: np.ndarray) -> float:
        """Value of a client, given its test samples' outputs ``[n, c]`` and truth."""
        if self.windows is not None:
            some = self.windows(*outputs.shape)
            outputs, y = outputs[some], y[some]
        return self.client(self.samples(outputs, y).mean(0))
