"""The contract of a subset of a metric: a file of this folder that defines ``SUBSET``.

``accuracy@worst_fifth`` is the accuracy over the subset ``worst_fifth``. A subset is of one of four
kinds: some of the clients (:class:`ClientSubset`); some of each client's test samples
(:class:`WindowSubset`); some of the predicted numbers (:class:`TargetSubset`); or what a run
chooses itself (:class:`RecordedSubset`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fedreact.metrics.contract import Groups, Metric


@dataclass(frozen=True)
class Subset:
    """The base of all kinds of subset.

    Attributes
    ----------
    phrase
        What it is, for titles: ``the worst fifth of the clients``; of other subsets than clients
        with a preposition: ``of the first target``.
    """

    chosen_from: ClassVar[str]
    """The things that a subset is chosen from, as the documentation calls them."""

    phrase: str

    def why_not(self, base: str, metric: Metric) -> str:
        """Say why a base has no meaning over this subset; empty if it has one."""
        return ""

    def apply(self, metric: Metric) -> Metric:
        """Return the metric over this subset."""
        raise NotImplementedError


@dataclass(frozen=True)
class ClientSubset(Subset):
    """Some of the clients.

    Attributes
    ----------
    choose
        ``choose(scores [K], groups) -> indices``: which they are, given clients' scores, of which
        higher ones are better, and what the run knows of clients. Where the run does not know
        enough, none.
    ranked
        Whether this depends on the scores, so that one direction must be better.
    """

    chosen_from = "clients"

    choose: Callable[[np.ndarray, Groups], np.ndarray]
    ranked: bool = True

    def why_not(self, base: str, metric: Metric) -> str:
        """Say that neither direction is better."""
        if self.ranked and metric.better is None:
            return f"neither higher nor lower values of {base} are better, so no client is worst"
        return ""

    def apply(self, metric: Metric) -> Metric:
        """Return the metric over these clients."""
        sign = -1 if metric.better == "lower" else 1
        return replace(metric, choose=lambda values, groups: self.choose(sign * values, groups))


@dataclass(frozen=True)
class WindowSubset(Subset):
    """Some of each client's test samples, in their order.

    Attributes
    ----------
    choose
        ``choose(n, M) -> slice``: of n test samples with M outputs.
    """

    chosen_from = "windows"

    choose: Callable[[int, int], slice]

    def apply(self, metric: Metric) -> Metric:
        """Return the metric over these samples."""
        return replace(metric, windows=self.choose)


@dataclass(frozen=True)
class TargetSubset(Subset):
    """Some of the numbers that are predicted for each sample.

    Attributes
    ----------
    chosen
        Which they are.
    """

    chosen_from = "targets"

    chosen: slice

    def why_not(self, base: str, metric: Metric) -> str:
        """Say that labels are no targets."""
        if "regression" not in metric.kinds:
            return f"targets are predicted numbers, and {base} is a metric of labels"
        return ""

    def apply(self, metric: Metric) -> Metric:
        """Return the metric over these targets."""
        of_all = metric.samples
        if of_all is None:
            return metric

        def samples(outputs: np.ndarray, y: np.ndarray) -> np.ndarray:
            y = y.reshape(outputs.shape)
            return of_all(outputs[:, self.chosen], y[:, self.chosen])

        return replace(metric, samples=samples, kinds=("regression",))


@dataclass(frozen=True)
class RecordedSubset(Subset):
    """Samples or labels that a run chooses itself; it records the metric over them.

    Attributes
    ----------
    bases
        The only bases for which a run does so; none named: all.
    """

    chosen_from = "recorded"

    bases: tuple[str, ...] = ()

    def why_not(self, base: str, metric: Metric) -> str:
        """Say that no run records it."""
        if self.bases and base not in self.bases:
            return f"no run records it; this subset has {', '.join(self.bases)} only"
        return ""

    def apply(self, metric: Metric) -> Metric:
        """Return the metric as a run records it."""
        return replace(metric, samples=None, kinds=())
