"""The contract of a metric: a file of this folder that defines ``METRIC``.

A table, figure or claim names a metric ``base``, ``base@subset``, ``base:reducer`` or
``base@subset:reducer``: ``accuracy@worst_fifth:var`` is the variance of the accuracy over the worst
fifth of the clients. The base is a file of this folder, the subset one of ``subsets/``, the reducer
one of ``reducers/``. Without a subset all samples of all clients count, and without a reducer the
value is the mean over clients. A new base has all subsets and reducers that make sense for it.

A base is computed from a model's outputs, by statistics that are averaged over a client's samples.
Metrics that a run records itself, e.g. its bytes, have no subset and no reducer. The project's are
in ``recorded.py``; a user's own is a file that defines ``METRIC`` without ``samples``.
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
"""The metric of each kind of task where none is named."""

COMPARED = ("accuracy", "f1", "rmse", "mae", "rand")
"""Metrics by which alternatives of a ledger are compared, where scores have them."""


@dataclass(frozen=True)
class Groups:
    """Knowledge about the clients of a run: arrays ``[K]``, or ``None`` where it has none.

    Attributes
    ----------
    clusters
        The true cluster of each client.
    drifting
        Whether a client's data drifts.
    """

    clusters: np.ndarray | None = None
    drifting: np.ndarray | None = None


@dataclass(frozen=True)
class Metric:
    """A metric. A base sets the attributes up to ``power``, subsets and reducers those after it.

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
    client
        ``client(means [..., S]) -> [...]``: value of a client, given its samples' mean statistics.
    power
        1 if a client's value has the unit of the targets, 0 if it has no unit. A reducer does not
        change this, since it gets values in their units.
    windows
        ``windows(n, c)``: which of a client's n test samples count, in their order; ``None``: all.
    choose
        ``choose(values [K], groups) -> indices``: which clients count; ``None``: all.
    reduce
        ``reduce(values) -> float``: one value of those of the clients that count.
    """

    title: str
    better: Literal["higher", "lower"] | None = None
    bounds: tuple[float, float] = (-INF, INF)
    decimals: int = 3
    counted: bool = False
    kinds: tuple[Kind, ...] = ()
    samples: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    client: Callable[[np.ndarray], np.ndarray] = lambda means: means[..., 0]
    power: int = 0
    windows: Callable[[int, int], slice] | None = None
    choose: Callable[[np.ndarray, Groups], np.ndarray] | None = None
    reduce: Callable[[np.ndarray], float] = np.mean

    @property
    def is_plain_mean(self) -> bool:
        """Whether its value is the mean over all clients."""
        return self.choose is None and self.reduce is np.mean

    def score(self, outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return a client's value (a scalar), given its test samples' outputs and truth."""
        if self.samples is None:
            raise TypeError(f"{self.title}: runs record this metric themselves")
        if self.windows is not None:
            window = self.windows(*outputs.shape)
            outputs, y = outputs[window], y[window]
        return self.client(self.samples(outputs, y).mean(0))

    def over(self, values: np.ndarray, groups: Groups = Groups()) -> float:
        """Return the value over clients, given theirs ``[K]``; NaN if none of them counts."""
        if self.choose is not None:
            values = values[self.choose(values, groups)]
        return float(self.reduce(values)) if len(values) else float("nan")
