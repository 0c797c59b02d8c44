"""Cells of the tables: what was rebuilt, what was published, and how the two compare."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np
import pandas as pd

from fedreact.errors import UserError
from fedreact.intervals import FEWEST, Summary, summarise
from fedreact.kinds import client_records
from fedreact.metrics.grammar import load_metric
from fedreact.tables import published as values
from fedreact.tables.published import Published
from fedreact.tables.sources import CellSource, ScoreSource
from fedreact.tables.trivial import FLAG, flagged

UNLABELLED = "Published, label lost,"

COMPARABLE, NEARLY, INCOMPARABLE = "comparable", "nearly-comparable", "not-comparable"
"""Grades of a rebuilt cell: the paper's data and protocol; its recordings and task, but something
else differs, which its file of published values lists under ``nearly``; anything else. Cells of the
first two have verdicts."""


@dataclass
class CellLine:
    """A line of a table's csv: a cell by one metric. ``None`` is an empty field.

    Attributes
    ----------
    mean, ci_low, ci_high
        Mean over seeds, and its 95% interval.
    published, published_plus_minus
        What the paper prints: the value, and the number after ±.
    difference
        ``mean`` less ``published``.
    pi_low, pi_high
        95% prediction interval of one further seed; cells are judged by it.
    gap
        The cell's score less that of its row's reference, paired by seed. Columns that begin with
        ``gap_`` are those of this difference.
    grade
        How far the cell can be compared: :data:`COMPARABLE`, :data:`NEARLY`, :data:`INCOMPARABLE`.
    flag
        :data:`fedreact.tables.trivial.FLAG` if a trivial predictor is ahead on the cell's setting.
    """

    table: str
    row: str
    column: str
    metric: str
    data: str
    mean: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    n_seeds: int = 0
    published: float | None = None
    published_plus_minus: float | None = None
    difference: float | None = None
    verdict: str = "not-comparable"
    pi_low: float | None = None
    pi_high: float | None = None
    gap: float | None = None
    gap_low: float | None = None
    gap_high: float | None = None
    gap_published: float | None = None
    gap_verdict: str | None = None
    gap_pi_low: float | None = None
    gap_pi_high: float | None = None
    grade: str = INCOMPARABLE
    flag: str | None = None

    def set_rebuilt(self, summary: Summary) -> None:
        """Fill the columns of the rebuilt score."""
        self.mean, self.n_seeds = summary.mean, summary.n
        self.ci_low, self.ci_high = summary.ci
        self.pi_low, self.pi_high = summary.prediction

    def set_gap(self, summary: Summary) -> None:
        """Fill the columns of the rebuilt difference from the reference."""
        self.gap = summary.mean
        self.gap_low, self.gap_high = summary.ci
        self.gap_pi_low, self.gap_pi_high = summary.prediction


COLUMNS = [field.name for field in fields(CellLine)]
"""Columns of a table's csv."""

NEEDED = ("setting", "data", "seed", "method", "round")
"""Columns of every file of scores that cells are made of."""


def read_scores(paths: Sequence[Path]) -> pd.DataFrame:
    """Read the lines of all files, with the ``file`` and the ``folder`` of each.

    Raises
    ------
    UserError
        A file holds no scores.
    """
    parts = [_scores(path).assign(file=str(path), folder=str(path.parent)) for path in paths]
    return pd.concat(parts) if parts else pd.DataFrame(columns=["folder", "method", "seed"])


def _scores(path: Path) -> pd.DataFrame:
    try:
        scores = pd.read_csv(path)
    except ValueError as error:  # empty, cut short, or no text
        raise UserError(f"{path}: not a file of scores ({' '.join(str(error).split())})") from error
    if lacking := [name for name in NEEDED if name not in scores]:
        raise UserError(f"{path}: not a file of scores, it lacks {', '.join(lacking)}")
    return scores


def judge(summary: Summary, published: float, doubt: float, spread: float = np.inf) -> str:
    """Compare a published value, taken as one more run, with the rebuilt ones.

    Parameters
    ----------
    summary
        Summary of the rebuilt scores.
    published, doubt
        The value, and how far it may be off: by rounding, and by what is printed after its ±.
    spread
        Spread of the published values beside it: a wider interval could not distinguish them.

    Returns
    -------
    str
        ``differs`` if the published value lies outside the 95% prediction interval of one further
        seed; inside, ``reproduced``, or ``undecided`` if that interval is wider than ``spread``.
        With fewer than three seeds ``undecided``.
    """
    if summary.n < FEWEST:
        return "undecided"
    low, high = summary.prediction
    if not low - doubt <= published <= high + doubt:
        return "differs"
    return "undecided" if high - low > spread else "reproduced"


def findings(layout: Sequence[CellSource], paths: Sequence[Path]) -> dict[str, list[str]]:
    """Collect what runs found that makes the scores of a row mean nothing, by row.

    ``paths`` are the files of scores. The findings lie beside them.
    """
    by_row: dict[str, dict[str, None]] = {}
    for path in paths:
        rows = {source.row for source in layout if source.folder == str(path.parent)}
        record = client_records.read(path) if rows else None
        if record is not None:
            for row in rows:
                by_row.setdefault(row, {}).update(dict.fromkeys(record["findings"].tolist()))
    order = dict.fromkeys(source.row for source in layout)
    return {row: list(by_row[row]) for row in order if by_row.get(row)}


def lines_of(
    layout: Sequence[CellSource], scores: pd.DataFrame
) -> dict[tuple[str, str], pd.DataFrame]:
    """Return the lines of scores of each cell that was run, by its labels."""
    return {
        (source.row, source.column): of_cell(scores, source)
        for source in layout
        if not source.skipped
    }


ALL = "and all rounds"
"""Which of a run's scores are used, for captions, if nothing is said."""


@dataclass(frozen=True)
class CellRules:
    """Which scores the cells of a table show, and what they are compared with.

    Attributes
    ----------
    metrics
        Names of the metrics that it shows.
    last
        Whether scores are those of the last round instead of the mean over rounds.
    methods_are
        Whether columns or rows are methods.
    reference
        Label of the method that the others beside it are compared with, if any.
    reaching
        Metric of the score at which costs are read, if any: see :mod:`fedreact.tables.reached`.
    trivial
        Labels of methods that learn nothing: see :mod:`fedreact.tables.trivial`.
    """

    metrics: Sequence[str]
    last: bool = False
    methods_are: Literal["row", "column"] = "column"
    reference: str | None = None
    reaching: str | None = None
    trivial: Sequence[str] = ()

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any], trivial: Sequence[str] = ()) -> "CellRules":
        """Read an entry of ``tables.yaml``; ``trivial`` are labels of methods of its paper."""
        return cls(
            entry["metrics"],
            last=entry.get("score") == "last",
            methods_are="row" if entry.get("rows_are") == "methods" else "column",
            reference=entry.get("reference"),
            reaching=entry.get("reaching"),
            trivial=trivial,
        )

    def flagged(self, lines: pd.DataFrame) -> dict[tuple[str, str], str]:
        """Return the trivial predictor that is ahead, by the label of a setting and the metric."""
        if self.reaching:
            return {}
        return flagged(lines, self.trivial, self.reference, self.methods_are)

    def with_flags(self, lines: pd.DataFrame) -> pd.DataFrame:
        """Return the lines of a table with their column ``flag`` filled anew."""
        found, setting = self.flagged(lines), "row" if self.methods_are == "column" else "column"
        places = zip(lines[setting], lines["metric"])
        flags = pd.Series([FLAG if place in found else None for place in places], lines.index)
        return lines.assign(flag=flags)

    @property
    def when(self) -> str:
        """Which of a run's scores are used, for captions."""
        if self.reaching:
            return "when it first reaches the final score of the weakest method beside it"
        return "after the last round" if self.last else ALL

    def labels_of_reference(self, source: CellSource) -> tuple[str, str] | None:
        """Return row and column of the reference beside a cell; ``None`` if there is none."""
        if self.reference is None:
            return None
        if self.methods_are == "row":
            return self.reference, source.column
        return source.row, self.reference


def build(
    table: str,
    layout: Sequence[CellSource],
    rules: CellRules,
    published: Published,
    scores: pd.DataFrame,
    differences: Sequence[str],
) -> pd.DataFrame:
    """Make the cells of a table.

    Parameters
    ----------
    table
        Its name, e.g. ``"table05"``.
    layout
        Its cells, row by row.
    rules
        Its metrics, and what is compared with what.
    published
        The content of the paper's ``published/<table>.yaml``.
    scores
        What :func:`read_scores` gives: a line a round, and a column for each metric, which is empty
        where a metric is not defined.
    differences
        What this scale does otherwise than the paper.

    Returns
    -------
    pandas.DataFrame
        :data:`COLUMNS`, a line a cell. Cells that the paper has no value for are not comparable,
        nor are published rows whose label is lost: they stand alone, with no seeds. Cells of
        methods that cannot run are left out.

    Raises
    ------
    UserError
        No cell can be built, or a cell has no scores.
    """
    sources = {(source.row, source.column): source for source in layout if not source.skipped}
    if not sources:
        why = "; ".join(dict.fromkeys(str(source.skipped) for source in layout))
        raise UserError(f"{table}: nothing of it can be built: {why}")
    means = per_seed(rules.metrics, scores, rules.last)
    builder = _Builder(table, sources, rules, published, means, differences)
    lines = []
    for metric in rules.metrics:
        bounds = load_metric(metric).bounds
        lines += [builder.line(source, metric, bounds) for source in sources.values()]
    built = [line for line in lines if line is not None]
    return rules.with_flags(_frame([*built, *_unlabelled(table, published)]))


def _frame(lines: Sequence[CellLine]) -> pd.DataFrame:
    filled = [{k: v for k, v in vars(line).items() if v is not None} for line in lines]
    return pd.DataFrame(filled, columns=COLUMNS)


def _unlabelled(table: str, published: Published) -> Iterator[CellLine]:
    """Yield the cells of published rows whose label is lost."""
    for i, row in enumerate(published.get("unlabelled", []), start=1):
        for column, value in zip(published["columns"], row):
            yield CellLine(
                table,
                f"{UNLABELLED} {i}",
                column,
                metric=published["metric"],
                data=published["data"],
                published=value,
            )


@dataclass(frozen=True)
class _Builder:
    """Makes the lines of a table from the means of its runs; attributes as for :func:`build`."""

    table: str
    sources: Mapping[tuple[str, str], CellSource]
    rules: CellRules
    published: Published
    means: pd.DataFrame
    differences: Sequence[str]

    def line(self, source: CellSource, metric: str, bounds: tuple[float, float]) -> CellLine | None:
        """Make the line of a cell by a metric; ``None`` if its runs have no such score."""
        scores = of_cell(self.means, source)
        if scores.empty and self.rules.reaching:
            return None
        if scores.empty:
            raise UserError(f"{self.table}: no scores of {source.method} in {source.folder}")
        if metric not in scores or scores[metric].isna().all():
            return None  # no Rand score for a method of soft clusters, no accuracy of a regression
        by_seed = scores.set_index("seed")[metric]
        summary = summarise(by_seed.to_numpy(), bounds)
        line = CellLine(self.table, source.row, source.column, metric, scores["data"].iloc[0])
        line.set_rebuilt(summary)
        unlike = [*self.differences, *source.unlike]
        line.grade = grade(line.row, line.data, summary.n, self.published, unlike)
        comparable = line.grade != INCOMPARABLE
        self._add_published(line, source, summary, comparable)
        self._add_gap(line, source, by_seed, comparable)
        return line

    def _add_published(
        self, line: CellLine, source: CellSource, summary: Summary, comparable: bool
    ) -> None:
        """Add the published value of a cell, and judge it."""
        value = self._published_value(source, line.metric)
        if value is None:
            return
        line.published, line.difference = value, summary.mean - value
        line.published_plus_minus = self._plus_minus(source)
        if comparable and not self._is_unsure(source):
            doubt = self._half_unit(source, value) + (line.published_plus_minus or 0.0)
            line.verdict = judge(summary, value, doubt, self._spread(source))

    def _add_gap(
        self, line: CellLine, source: CellSource, by_seed: pd.Series, comparable: bool
    ) -> None:
        """Add the difference of a cell from the reference beside it, and judge it."""
        labels = self.rules.labels_of_reference(source)
        reference = self.sources.get(labels) if labels else None
        if reference is None or reference is source:
            return
        gaps = paired(by_seed, of_cell(self.means, reference), line.metric)
        if gaps.empty:
            return
        summary = summarise(gaps.to_numpy())
        line.set_gap(summary)
        value = line.published
        of_reference = self._published_value(reference, line.metric)
        if value is None or of_reference is None:
            return
        line.gap_published, line.gap_verdict = value - of_reference, "not-comparable"
        unsure = self._is_unsure(source) or self._is_unsure(reference)
        if comparable and not (reference.unlike or unsure):
            plus_minus = line.published_plus_minus or 0.0, self._plus_minus(reference) or 0.0
            # Rounding moves both values.
            doubt = 2 * self._half_unit(source, value) + float(np.hypot(*plus_minus))
            line.gap_verdict = judge(summary, line.gap_published, doubt, self._spread(source))

    def _published_value(self, source: CellSource, metric: str) -> float | None:
        return values.value_of(self.published, source.row, source.column, metric)

    def _plus_minus(self, source: CellSource) -> float | None:
        return values.plus_minus(self.published, source.row, source.column)

    def _is_unsure(self, source: CellSource) -> bool:
        return bool(values.unsure(self.published, source.row, source.column))

    def _half_unit(self, source: CellSource, value: float) -> float:
        """Return half a unit of the last digit that a published value is printed with."""
        decimals = values.decimals_beside(value, self.published["rows"][source.row])
        return float(0.5 * 10.0**-decimals)

    def _spread(self, source: CellSource) -> float:
        return spread_of(self.published, source, self.rules)


def paired(scores: pd.Series, beside: pd.DataFrame, metric: str) -> pd.Series:
    """Return a cell's scores less those of another cell, by the seeds that both have."""
    if metric not in beside:
        return scores.iloc[:0]
    return (scores - beside.set_index("seed")[metric]).dropna()


def spread_of(published: Published, source: CellSource, rules: CellRules) -> float:
    """Return the largest less the smallest published value of the methods beside a cell.

    It is infinite for a single value.
    """
    if rules.methods_are == "column":
        beside = published["rows"].get(source.row, [])
    elif source.column in published["columns"]:
        place = published["columns"].index(source.column)
        beside = [row[place] for row in published["rows"].values()]
    else:
        beside = []
    known = [value for value in beside if value is not None]
    return max(known) - min(known) if len(known) > 1 else np.inf


def computed(table: str, study: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Make the cells of a table that a study computes: ``row, column, value``.

    A published number is reproduced if ours rounds to it.
    """
    lines = []
    for row, column, ours in study[["row", "column", "value"]].itertuples(index=False):
        line = CellLine(table, row, column, metric="costs", data="computed", mean=ours, n_seeds=1)
        value = values.value_of(published, row, column, published["metric"])
        if value is not None:
            line.published, line.difference = value, ours - value
            line.grade = COMPARABLE
            if not values.unsure(published, row, column):
                same = round(ours, values.decimals_of(value)) == value
                line.verdict = "reproduced" if same else "differs"
        lines.append(line)
    return _frame(lines)


def per_seed(
    metrics: Sequence[str], scores: pd.DataFrame, last: bool = False, by_file: bool = False
) -> pd.DataFrame:
    """Average scores over rounds, or take those of the last one: a line a job, method and seed.

    ``by_file`` keeps the column ``file``.
    """
    if last:
        latest = scores.groupby(["folder", "method", "seed"])["round"].transform("max")
        scores = scores[scores["round"] == latest]
    by = ["setting", "data", "folder", "method", "seed", *(["file"] if by_file else [])]
    present = [m for m in metrics if m in scores]
    return scores.groupby(by, sort=True)[present].mean().reset_index()


def of_cell(scores: pd.DataFrame, source: CellSource | ScoreSource) -> pd.DataFrame:
    """Return the lines of a cell's job and method."""
    return scores[(scores["folder"] == source.folder) & (scores["method"] == source.method)]


def grade(
    row: str, data: str, n_seeds: int, published: Published, differences: Sequence[str]
) -> str:
    """Tell how far the cells of a row can be compared with the published ones."""
    if why_not(row, data, n_seeds, published, differences):
        return INCOMPARABLE
    return NEARLY if row in published.get("nearly", {}) else COMPARABLE


def nearly(cells: pd.DataFrame, published: Published) -> dict[str, list[str]]:
    """Say what differs in the rows whose cells are nearly comparable."""
    rows = dict.fromkeys(cells["row"][cells["grade"] == NEARLY])
    return {row: [published["nearly"][row]] for row in rows}


def why_not(
    row: str, data: str, n_seeds: int, published: Published, differences: Sequence[str]
) -> list[str]:
    """Say why the cells of a row cannot be compared with the published ones; empty if they can."""
    why = list(differences)
    if row.startswith(UNLABELLED):
        return ["our copy of the paper lacks the labels of these rows"]
    theirs = published.get("data_of", {}).get(row, published["data"])
    if data != theirs:
        why.insert(0, f"the paper uses {theirs}, this run {data}")
    if row in published["unstated"]:
        why.append(published["unstated"][row])
    if n_seeds < 2:
        why.append("one seed gives no interval")
    return why


def reasons(cells: pd.DataFrame, published: Published) -> dict[str, list[str]]:
    """Collect :func:`why_not` for each row with a published value, whatever the scale.

    What differs in rows that would nearly be comparable is added where they are not.
    """
    rows = cells.dropna(subset="published").drop_duplicates("row")
    by_row = {}
    for row, data, n, of in rows[["row", "data", "n_seeds", "grade"]].itertuples(index=False):
        by_row[row] = why_not(row, data, n, published, [])
        if of == INCOMPARABLE and row in published.get("nearly", {}):
            by_row[row].append(published["nearly"][row])
    return {row: why for row, why in by_row.items() if why}


def skipped(layout: Sequence[CellSource]) -> dict[str, list[str]]:
    """Say why methods cannot run, by a name: a cell, or a row or column of which none can."""
    of_row: dict[str, set[str | None]] = {}
    of_column: dict[str, set[str | None]] = {}
    for source in layout:
        of_row.setdefault(source.row, set()).add(source.skipped)
        of_column.setdefault(source.column, set()).add(source.skipped)
    by_name: dict[str, list[str]] = {}
    for source in layout:
        if not source.skipped:
            continue
        in_row, in_column = of_row[source.row], of_column[source.column]
        name = f"{source.row}, {source.column}"
        if len(in_column) == 1 or (None not in in_column and len(in_row) > 1):
            name = source.column
        elif len(in_row) == 1:
            name = source.row
        if source.skipped not in by_name.setdefault(name, []):
            by_name[name].append(source.skipped)
    return by_name


def read(csv: Path | TextIO) -> pd.DataFrame:
    """Read the cells of a table from its csv; labels are texts, as ``"10"`` and ``"NA"``."""
    labels = dict.fromkeys(("row", "column"), str)
    cells = pd.read_csv(csv, keep_default_na=False, na_values=[""], dtype=labels)
    if "grade" not in cells:  # of a run that was kept before there were grades
        judged = cells["verdict"] != INCOMPARABLE
        cells["grade"] = np.where(judged, COMPARABLE, INCOMPARABLE)
    return cells
