"""Content of the benchmark's page: scores, gains over the reference, and sentences about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import pandas as pd

from fedreact.benchmark.sources import BenchmarkSource, RegimeSource
from fedreact.errors import UserError

COSTS = ("bytes", "gflops")
COLUMNS = ("table", "row", "column", "metric", "data", "mean", "ci_low", "ci_high", "n_seeds")
GAPS = ("gap", "gap_low", "gap_high")


@dataclass(frozen=True)
class Score:
    """A method in a row.

    Attributes
    ----------
    row, method, data
        Labels of the row and of the method; the dataset.
    mean, low, high
        Mean over seeds and its interval.
    gain, gain_low, gain_high
        Difference to the reference, paired by seed, better is positive; ``None``: not known.
    more
        Means of further metrics by name.
    """

    row: str
    method: str
    data: str
    mean: float
    low: float | None
    high: float | None
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    n_seeds: int
    more: dict[str, float]

    @property
    def is_federated(self) -> bool:
        """Whether anything goes between clients and server, as far as the table says."""
        return self.more.get("bytes", 1.0) > 0

    @property
    def pays(self) -> bool:
        """Whether it is significantly better than the reference."""
        return self.gain_low is not None and self.gain_low > 0

    @property
    def costs(self) -> bool:
        """Whether it is significantly worse."""
        return self.gain_high is not None and self.gain_high < 0


@dataclass(frozen=True)
class Regime:
    """Scores of a regime.

    Attributes
    ----------
    rows
        Labels of its rows in the order of the table.
    metrics
        Names of all metrics, the compared one first.
    flagged
        Rows in which a predictor that learns nothing is ahead: they rank no methods, and count in
        no mean.
    """

    source: RegimeSource
    rows: list[str]
    metrics: list[str]
    scores: list[Score]
    flagged: frozenset[str] = frozenset()

    @property
    def counted(self) -> list[str]:
        """Rows that count in means and sentences."""
        return [row for row in self.rows if row not in self.flagged]

    def of(self, row: str) -> list[Score]:
        """Return the scores of a row, best first."""
        sign = -1 if self.source.better == "higher" else 1
        return sorted((s for s in self.scores if s.row == row), key=lambda s: sign * s.mean)


def read(source: BenchmarkSource) -> list[Regime]:
    """Read the tables of all regimes; those without any score are left out.

    Raises
    ------
    UserError
        A file of a table cannot be read.
    """
    regimes = [_regime(one, source.reference) for one in source.regimes]
    return [regime for regime in regimes if regime.scores]


def _regime(source: RegimeSource, reference: str) -> Regime:
    """Join the tables of a regime; of a method that stands in several, the first counts."""
    parts = []
    for csv in source.csvs:
        try:
            table = pd.read_csv(csv)
        except (OSError, ValueError) as error:
            raise UserError(f"{csv}: no table ({error})") from None
        if missing := [name for name in (*COLUMNS, *GAPS) if name not in table]:
            raise UserError(f"{csv}: no table of the benchmark, it lacks {missing[0]}")
        parts.append(table[table["table"].str.endswith(f"_{source.name}")])
    whole = pd.concat(parts).drop_duplicates(["row", "column", "metric"])
    whole = whole[whole["mean"].notna()]
    scores = []
    for (row, method), lines in whole.groupby(["row", "column"], sort=False):
        by_metric = {str(line["metric"]): line for _, line in lines.iterrows()}
        if (main := by_metric.pop(source.metric, None)) is None:
            continue
        gain, low, high = (_number(main[name]) for name in GAPS)
        if source.better == "lower":
            gain, low, high = (None if g is None else -g for g in (gain, high, low))
        if method == reference:
            gain, low, high = 0.0, None, None
        scores.append(
            Score(
                row=str(row),
                method=str(method),
                data=str(main["data"]),
                mean=float(main["mean"]),
                low=_number(main["ci_low"]),
                high=_number(main["ci_high"]),
                gain=gain,
                gain_low=low,
                gain_high=high,
                n_seeds=int(main["n_seeds"]),
                more={name: float(line["mean"]) for name, line in by_metric.items()},
            )
        )
    rows = list(dict.fromkeys(score.row for score in scores))
    metrics = [source.metric, *(m for m in dict.fromkeys(whole["metric"]) if m != source.metric)]
    flags = whole.dropna(subset=["flag"]) if "flag" in whole else whole.head(0)
    flagged = flags.loc[flags["metric"] == source.metric, "row"].astype(str).tolist()
    return Regime(source, rows, metrics, scores, frozenset(flagged))


def _number(value: object) -> float | None:
    """Return a number of a table, or ``None`` for an empty field."""
    number = pd.to_numeric(pd.Series([value]), errors="coerce").iloc[0]
    return None if pd.isna(number) else float(number)


# ---- Sentences -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a regime says about federation.

    Attributes
    ----------
    pays, costs
        Rows in which some federated method is significantly better than the reference; in which
        all of them are significantly worse.
    best
        The method that is significantly better in most rows (of several, that with the largest
        mean gain), or ``None``.
    best_rows
        In how many.
    most
        Its score in that one of these rows in which its gain is largest.
    apart
        By row, the method with the highest score, where it is one that sends nothing.
    """

    regime: Regime
    pays: list[str]
    costs: list[str]
    best: str | None
    best_rows: int
    most: Score | None
    apart: dict[str, str]


def answer(regime: Regime, source: BenchmarkSource) -> Answer:
    """Sum a regime up."""
    others = {*source.trivial, *source.ceilings}
    scores = [s for row in regime.counted for s in regime.of(row) if s.method not in others]
    federated = [s for s in scores if s.is_federated and s.method != source.reference]
    first = {s.row: s for s in reversed(scores)}
    apart = {row: s.method for row, s in first.items() if not s.is_federated}
    pays = [row for row in regime.counted if any(s.pays for s in federated if s.row == row)]
    costs = []
    for row in regime.counted:
        of_row = [s for s in federated if s.row == row]
        if of_row and all(s.costs for s in of_row):
            costs.append(row)
    by_method: dict[str, list[Score]] = {}
    for score in federated:
        if score.gain is not None:
            by_method.setdefault(score.method, []).append(score)

    def rank(method: str) -> tuple[int, float]:
        return sum(s.pays for s in by_method[method]), mean_gain(by_method[method])

    best = max(by_method, key=rank, default=None)
    if best is None or not rank(best)[0]:
        return Answer(regime, pays, costs, None, 0, None, apart)
    most = max((s for s in by_method[best] if s.pays), key=lambda s: s.gain or 0.0)
    return Answer(regime, pays, costs, best, rank(best)[0], most, apart)


def mean_gain(scores: Sequence[Score]) -> float:
    """Average gains over the rows of each dataset first: each dataset counts once."""
    by_data: dict[str, list[float]] = {}
    for score in scores:
        by_data.setdefault(score.data, []).append(score.gain or 0.0)
    return fmean(map(fmean, by_data.values()))


def sentences(regimes: Sequence[Regime], source: BenchmarkSource) -> list[str]:
    """Say in a sentence for each regime whether federation pays there, and which method then."""
    lines = []
    for regime in regimes:
        summary = answer(regime, source)
        n, title = len(regime.counted), regime.source.title
        start = f"{title}: a federated method is significantly better than {source.reference}"
        apart = ""
        if summary.apart:
            names = ", ".join(dict.fromkeys(summary.apart.values()))
            rows = "its row" if n == 1 else f"{len(summary.apart)} of {n} rows"
            apart = f" In {rows}, a method that sends nothing has the highest score ({names})."
        if all(score.gain_low is None for score in regime.scores):
            lines.append(f"{title}: there is one seed, so no difference is judged.")
            continue
        if summary.most is None:
            no_row = f"no federated method is significantly better than {source.reference}"
            lines.append(f"{title}: {no_row} in any row.{apart}")
            continue
        where = "in its row" if n == 1 else f"in {len(summary.pays)} of {n} rows"
        most = f"{summary.best} most often" if n > 1 else f"{summary.best} above all"
        largest = summary.most
        gain = (
            f"its {'largest ' if n > 1 else ''}gain is {largest.gain:+.3f}, 95% interval "
            f"{largest.gain_low:+.3f} to {largest.gain_high:+.3f}"
        )
        lines.append(f"{start} {where}, {most} ({gain}).{apart}")
    return lines


def csv(regimes: Sequence[Regime]) -> str:
    """All scores as one tidy file."""
    lines = ["regime,row,method,metric,mean,ci_low,ci_high,gain,gain_low,gain_high,n_seeds"]
    for regime in regimes:
        for s in regime.scores:
            fields = (s.mean, s.low, s.high, s.gain, s.gain_low, s.gain_high)
            numbers = ",".join("" if value is None else f"{value:.6g}" for value in fields)
            place = f'{regime.source.name},"{s.row}","{s.method}"'
            lines.append(f"{place},{regime.source.metric},{numbers},{s.n_seeds}")
            lines += [
                f"{place},{metric},{value:.6g},,,,,,{s.n_seeds}" for metric, value in s.more.items()
            ]
    return "\n".join(lines) + "\n"
