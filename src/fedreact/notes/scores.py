"""Scores of the methods of a setting: by seed, by client, and over the rounds.

Notes on a result (:mod:`fedreact.notes.contract`) and the page of a user's own data are made from
these. Differences are paired by seed. They are paired by client, if there are three or more, where
seeds tell little: with fewer than three seeds, and where all seeds test the same series.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from fedreact.claims.contrasts import ALPHA, Evidence, holm, weigh
from fedreact.intervals import FEWEST
from fedreact.kinds import client_records
from fedreact.kinds.contract import Role
from fedreact.metrics.contract import Metric
from fedreact.metrics.grammar import load_metric
from fedreact.notes.sources import Comparison
from fedreact.tables.cells import CellRules, of_cell, per_seed
from fedreact.tables.decimals import with_digits
from fedreact.tables.sources import CellSource
from fedreact.tables.trivial import is_of_predictions

BASELINES: tuple[Role, ...] = ("trivial", "simple", "pooled")
"""Parts of methods that a federated method has to beat; *alone* is another matter."""
Curve = tuple[np.ndarray, np.ndarray]
"""Rounds ``[R]``, and a score of each or those of clients."""
FEWEST_ROUNDS = 3
"""Scored rounds below which a course has no slope."""


@dataclass(frozen=True)
class Difference:
    """A mean difference between two methods, positive where the first one is better.

    Attributes
    ----------
    mean, low, high
        The mean and its 95% interval, NaN if it is missing.
    n, units
        Number of the ``seeds`` or ``clients`` that it is a mean of.
    p
        One-sided p-value of a difference of 0 or less; 1 if nothing can be said.
    """

    mean: float
    low: float
    high: float
    n: int
    units: str
    p: float

    @classmethod
    def of(cls, values: np.ndarray, units: str) -> "Difference":
        """Summarise differences ``[n]``."""
        evidence: Evidence = weigh(values, margin=0.0)
        low, high = evidence.ci
        return cls(evidence.difference, low, high, evidence.n, units, evidence.p_holds)

    @property
    def is_judged(self) -> bool:
        """Whether there are enough seeds or clients for an interval."""
        return self.n >= FEWEST

    @property
    def is_better(self) -> bool:
        """Whether the interval lies above 0."""
        return self.is_judged and self.low > 0

    @property
    def is_worse(self) -> bool:
        """Whether the interval lies below 0."""
        return self.is_judged and self.high < 0


@dataclass(frozen=True)
class MethodScores:
    """Scores of a method in a setting.

    Attributes
    ----------
    label, role
        Its label in the table, and its part in the comparison.
    by_seed
        Scores as the table shows them.
    others
        Scores by seed by each other metric of predictions that the table has.
    clients
        ``[K]`` of each seed: scores of clients; empty where runs have none by this metric.
    curves
        Rounds ``[R]`` and scores ``[R]`` of each seed.
    client_curves
        Rounds ``[R]`` and scores of clients ``[R, K]`` of each seed.
    clusters
        Clusters ``[K]`` of clients in the last round of each seed, -1 of those in none.
    costs, costs_of_more
        ``bytes`` and ``gflops``, means over seeds: after the last round, and of as many rounds
        more. What comes before the first round, such as an encoder, is not repeated.
    """

    label: str
    role: Role
    by_seed: Mapping[int, float]
    others: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    clients: Mapping[int, np.ndarray] = field(default_factory=dict)
    curves: Mapping[int, Curve] = field(default_factory=dict)
    client_curves: Mapping[int, Curve] = field(default_factory=dict)
    clusters: Mapping[int, np.ndarray] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    costs_of_more: Mapping[str, float] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """Mean over seeds."""
        return float(np.mean(list(self.by_seed.values())))

    def mean_by(self, metric: str) -> float | None:
        """Mean over seeds by another metric; ``None`` if it is not known."""
        by_seed = self.others.get(metric, {})
        return float(np.mean(list(by_seed.values()))) if by_seed else None

    @cached_property
    def of_clients(self) -> np.ndarray:
        """Return each client's mean score over seeds, ``[K]``; empty if runs have no scores."""
        if not self.clients:
            return np.zeros(0)
        return np.mean(list(self.clients.values()), axis=0)

    @property
    def n_rounds(self) -> int:
        """The last scored round; 0 if there is no course."""
        return max((int(rounds[-1]) for rounds, _ in self.curves.values()), default=0)

    @property
    def n_scored(self) -> int:
        """Number of scored rounds."""
        return max((len(rounds) for rounds, _ in self.curves.values()), default=0)


@dataclass(frozen=True)
class Result:
    """The methods of a setting by a metric.

    Attributes
    ----------
    setting, metric_name
        Label of the setting, and name of the metric.
    methods
        Best first.
    names
        Names of clients, by their numbers where they have none.
    margin
        The smallest difference that matters.
    """

    setting: str
    metric_name: str
    methods: Sequence[MethodScores]
    names: Sequence[str] = ()
    margin: float = 0.0

    @property
    def metric(self) -> Metric:
        """The metric, with the decimals that its scores need."""
        return with_digits(load_metric(self.metric_name), [m.mean for m in self.methods])

    @property
    def sign(self) -> int:
        """1 if higher values are better, else -1."""
        return -1 if self.metric.better == "lower" else 1

    def of(self, *roles: str) -> list[MethodScores]:
        """Return the methods with these parts, best first."""
        return [method for method in self.methods if method.role in roles]

    @property
    def is_same_test(self) -> bool:
        """Whether all seeds test the same series: a baseline has the same scores, by client too."""
        for method in self.of(*BASELINES):
            each = list(method.clients.values())
            same = all(np.array_equal(each[0], one, equal_nan=True) for one in each)
            if len(each) > 1 and same and len(set(method.by_seed.values())) == 1:
                return True
        return False

    def difference(self, first: MethodScores, second: MethodScores) -> Difference:
        """Compare two methods, paired by seed, or by client where seeds tell little."""
        seeds = [seed for seed in first.by_seed if seed in second.by_seed]
        by_seed = np.array([first.by_seed[s] - second.by_seed[s] for s in seeds])
        both = [s for s in seeds if s in first.clients and s in second.clients]
        if both and (len(seeds) < FEWEST or self.is_same_test):
            pairs = [first.clients[s] - second.clients[s] for s in both]
            by_client = np.mean(pairs, axis=0)
            by_client = by_client[~np.isnan(by_client)]
            if len(by_client) >= FEWEST:
                return Difference.of(self.sign * by_client, "clients")
        return Difference.of(self.sign * by_seed, "seeds")

    def better_than(
        self, methods: Sequence[MethodScores], other: MethodScores
    ) -> list[tuple[MethodScores, Difference, bool]]:
        """Compare methods with another one: each, its difference, and whether it is better.

        It is better if the difference is significant after Holm's correction for the number of
        methods: of many that are equal to it, one is ahead by chance.
        """
        found = [self.difference(method, other) for method in methods]
        corrected = holm([one.p for one in found])
        return [
            (method, one, one.is_better and bool(p <= ALPHA))
            for method, one, p in zip(methods, found, corrected)
        ]

    def rise(self, method: MethodScores) -> Difference | None:
        """Measure how much a method still improves over the last third of its rounds.

        It is the slope of the least-squares line through these rounds, three or more, times their
        length; ``None`` if fewer rounds are scored.
        """
        rises = [_rise(*curve) for curve in method.curves.values()]
        by_seed = np.array([rise for rise in rises if rise is not None], dtype=float)
        if not len(by_seed):
            return None
        if method.client_curves and (len(by_seed) < FEWEST or self.is_same_test):
            each = [_rises(*curve) for curve in method.client_curves.values()]
            known = [rise for rise in each if rise is not None]
            by_client = np.mean(known, axis=0) if known else np.zeros(0)
            by_client = by_client[~np.isnan(by_client)]
            if len(by_client) >= FEWEST:
                return Difference.of(self.sign * by_client, "clients")
        return Difference.of(self.sign * by_seed, "seeds")


def last_third(rounds: np.ndarray) -> int:
    """Return the place of the first of the rounds of the last third, which are three or more."""
    place = int(np.searchsorted(rounds, rounds[-1] * 2 / 3, side="right"))
    return min(place, len(rounds) - FEWEST_ROUNDS)


def _rise(rounds: np.ndarray, scores: np.ndarray) -> float | None:
    """Measure the rise of one course."""
    rises = _rises(rounds, scores[:, None])
    return None if rises is None else float(rises[0])


def _rises(rounds: np.ndarray, scores: np.ndarray) -> np.ndarray | None:
    """Measure the rises ``[K]`` of courses ``[R, K]``."""
    if len(rounds) < FEWEST_ROUNDS:
        return None
    first = last_third(rounds)
    t = rounds[first:] - rounds[first:].mean()
    return t @ scores[first:] / (t @ t) * (rounds[-1] - rounds[first])


# ---- Reading -------------------------------------------------------------------------------------


def read_results(
    layout: Sequence[CellSource], rules: CellRules, scores: pd.DataFrame, compared: Comparison
) -> list[Result]:
    """Return the result of each setting of a table, by its first metric of predictions.

    Parameters
    ----------
    layout, rules, scores
        As for :func:`fedreact.tables.cells.build`.
    compared
        Parts of the methods, and margins. The default of a margin is 0.01 for a metric between 0
        and 1, else a hundredth of the median of the methods' means.
    """
    name = next((m for m in rules.metrics if is_of_predictions(m) and m in scores), None)
    if name is None or rules.reaching:
        return []
    settings: dict[str, list[tuple[str, CellSource]]] = {}
    for source in layout:
        labels = (source.row, source.column)
        setting, method = labels if rules.methods_are == "column" else labels[::-1]
        if not source.skipped:
            settings.setdefault(setting, []).append((method, source))
    records: dict[str, dict[str, np.ndarray] | None] = {}
    results = []
    for setting, cells in settings.items():
        reader = _Reader(name, rules, scores, records)
        read_all = [reader.method(label, compared.roles[label], cell) for label, cell in cells]
        methods = [method for method in read_all if method is not None]
        if not methods:
            continue
        sign = -1 if load_metric(name).better == "lower" else 1
        methods.sort(key=lambda method: -sign * method.mean)
        usual = float(np.median([method.mean for method in methods]))
        margin = compared.margins.get(name, _margin(load_metric(name), usual))
        results.append(Result(setting, name, methods, reader.names, margin))
    return results


def _margin(metric: Metric, usual: float) -> float:
    """Return the smallest difference that matters, where nothing says it."""
    return 0.01 if metric.bounds == (0.0, 1.0) else 0.01 * abs(usual)


@dataclass
class _Reader:
    """Reads the scores of the methods of a setting; ``records`` of clients are read once."""

    metric: str
    rules: CellRules
    scores: pd.DataFrame
    records: dict[str, dict[str, np.ndarray] | None]
    names: list[str] = field(default_factory=list)

    def method(self, label: str, role: Role, source: CellSource) -> MethodScores | None:
        """Return the scores of a method; ``None`` if its runs have no such scores."""
        lines = of_cell(self.scores, source)
        if lines.empty or lines[self.metric].isna().all():
            return None
        names = [name for name in self.rules.metrics if _is_shown(name) and name in lines]
        shown = per_seed(names, lines, self.rules.last).set_index("seed")
        by_seed = _by_seed(shown[self.metric])
        others = {name: _by_seed(shown[name].dropna()) for name in names if name != self.metric}
        clients: dict[int, np.ndarray] = {}
        clusters: dict[int, np.ndarray] = {}
        curves: dict[int, Curve] = {}
        client_curves: dict[int, Curve] = {}
        for file in lines.sort_values("seed")["file"].unique():
            ordered = lines[lines["file"] == file].sort_values("round")
            seed = int(ordered["seed"].iloc[0])
            curves[seed] = (
                ordered["round"].to_numpy(float),
                ordered[self.metric].to_numpy(float),
            )
            record = self._record(str(file))
            if record is None or "score" not in record:
                continue
            own = np.flatnonzero(record["method"] == source.method)
            if not len(own):
                continue
            own = own[np.argsort(record["round"][own], kind="stable")]
            clusters[seed] = record["cluster"][own[-1]]
            if str(record["metric"]) == self.metric:
                each = record["score"][own].astype(float)
                client_curves[seed] = (record["round"][own].astype(float), each)
                clients[seed] = each[-1] if self.rules.last else _mean(each)
        return MethodScores(
            label, role, by_seed, others, clients, curves, client_curves, clusters, *_costs(lines)
        )

    def _record(self, file: str) -> dict[str, np.ndarray] | None:
        if file not in self.records:
            self.records[file] = client_records.read(Path(file))
        record = self.records[file]
        if record is not None and not self.names:
            K = len(record["n_train"])
            names = record.get("name", np.array([f"client {k}" for k in range(K)]))
            self.names = [str(name) for name in names]
        return record


def _is_shown(metric: str) -> bool:
    """Tell whether a metric scores predictions, of all clients or of some."""
    return load_metric(metric).better is not None and load_metric(metric).samples is not None


def _by_seed(scores: pd.Series) -> dict[int, float]:
    """Return a mapping of seeds to scores."""
    return {int(str(seed)): float(score) for seed, score in scores.items()}


def _mean(scores: np.ndarray) -> np.ndarray:
    """Average scores ``[R, K]`` of clients over the rounds that they took part in."""
    known = ~np.isnan(scores)
    sums = np.where(known, scores, 0).sum(0)
    return np.where(known.any(0), sums / np.maximum(known.sum(0), 1), np.nan)


def _costs(lines: pd.DataFrame) -> tuple[dict[str, float], dict[str, float]]:
    """Return what a client has taken and sent in all, and what as many rounds more would take.

    Costs grow by the same amount in each round.
    """
    of_seed = lines.groupby("seed")["round"]
    last = lines[lines["round"] == of_seed.transform("max")]
    first = lines[lines["round"] == of_seed.transform("min")]
    rounds, before = float(last["round"].mean()), float(first["round"].mean())
    total, more = {}, {}
    for name in ("bytes", "gflops"):
        if name not in lines or last[name].isna().all():
            continue
        total[name] = more[name] = float(last[name].mean())
        if rounds > before:
            each = (total[name] - float(first[name].mean())) / (rounds - before)
            more[name] = each * rounds
    return total, more
