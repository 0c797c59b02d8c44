"""Cells of the tables: what was rebuilt, what was published, and how the two compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import pandas as pd

from fedreact.errors import UserError
from fedreact.intervals import FEWEST, Summary, summarise
from fedreact.kinds import client_records
from fedreact.metrics.grammar import load_metric
from fedreact.tables import published as values

COLUMNS = [
    "table",
    "row",
    "column",
    "metric",
    "data",
    "mean",
    "ci_low",
    "ci_high",
    "n_seeds",
    "published",
    "published_plus_minus",
    "difference",
    "verdict",
    "pi_low",
    "pi_high",
    "gap",
    "gap_low",
    "gap_high",
    "gap_published",
    "gap_verdict",
    "gap_pi_low",
    "gap_pi_high",
]
"""Columns of a table's csv.

``published_plus_minus`` is the number that a paper prints after ±. ``pi`` is the 95% prediction
interval of one further seed; cells are judged by it. ``gap`` is a cell's score minus that of its
row's reference, paired by seed.
"""


UNLABELLED = "Published, label lost,"


@dataclass(frozen=True)
class Place:
    """A cell of a table, or a curve of a figure: where its scores lie.

    Attributes
    ----------
    row, column
        Labels.
    folder
        Folder of its job's scores, one file per seed.
    method
        Its name there.
    skipped
        Why the method cannot run there; ``None`` if it can.
    unlike
        What this scale does otherwise than the paper in this cell, beside what it does in all.
    """

    row: str
    column: str
    folder: str
    method: str
    skipped: str | None = None
    unlike: Sequence[str] = ()


NEEDED = ("setting", "data", "seed", "method", "round")
"""Columns of every file of scores that cells are made of."""


def read_scores(paths: Sequence[Path]) -> pd.DataFrame:
    """Lines of all files, with the file and the folder of each.

    Raises
    ------
    UserError
        A file holds no scores.
    """
    parts = [_scores(path).assign(file=str(path), folder=str(path.parent)) for path in paths]
    return pd.concat(parts) if parts else pd.DataFrame(columns=["folder", "method", "seed"])


def _scores(path):
    try:
        found = pd.read_csv(path)
    except ValueError as error:  # empty, cut short, or no text
        raise UserError(f"{path}: not a file of scores ({' '.join(str(error).split())})") from error
    if lacking := [name for name in NEEDED if name not in found]:
        raise UserError(f"{path}: not a file of scores, it lacks {', '.join(lacking)}")
    return found


def judge(summary: Summary, published: float, doubt: float, spread: float = np.inf) -> str:
    """Compare a published value, taken as one more run, with the rebuilt ones.

    Parameters
    ----------
    summary
        Of the rebuilt scores.
    published, doubt
        The value, and how far it may be off: by rounding, and by what is printed after its ±.
    spread
        Of the published values beside it: an interval that is wider could not tell them apart.

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


def findings(layout: Sequence[Place], paths: Sequence[Path]) -> dict[str, list[str]]:
    """What makes the scores of rows mean nothing, as their runs have found."""
    of_row: dict[str, dict[str, None]] = {}
    for path in paths:
        rows = {place.row for place in layout if place.folder == str(path.parent)}
        beside = client_records.read(path) if rows else None
        for row in rows if beside else ():
            of_row.setdefault(row, {}).update(dict.fromkeys(beside["findings"].tolist()))
    order = dict.fromkeys(place.row for place in layout)
    return {row: list(of_row[row]) for row in order if of_row.get(row)}


def lines_of(layout: Sequence[Place], scores: pd.DataFrame) -> dict[tuple[str, str], pd.DataFrame]:
    """Lines of scores of each cell that was run, by its labels."""
    return {
        (place.row, place.column): of_cell(scores, place) for place in layout if not place.skipped
    }


ALL = "and all rounds"
"""Which of a run's scores are taken, for captions, if nothing is said."""


@dataclass(frozen=True)
class About:
    """What of a table's entry its cells depend on.

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
        Metric of the score at which costs are taken, if any: see :mod:`fedreact.tables.reached`.
    """

    metrics: Sequence[str]
    last: bool = False
    methods_are: str = "column"
    reference: str | None = None
    reaching: str | None = None

    @classmethod
    def of(cls, spec: Mapping) -> "About":
        """Read an entry of ``tables.yaml``."""
        methods_are = "row" if spec.get("rows_are") == "methods" else "column"
        last = spec.get("score") == "last"
        more = (spec.get("reference"), spec.get("reaching"))
        return cls(spec["metrics"], last, methods_are, *more)

    @property
    def when(self) -> str:
        """Which of a run's scores are taken, for captions."""
        if self.reaching:
            return "when it first reaches the final score of the weakest method beside it"
        return "after the last round" if self.last else ALL

    def beside(self, place: Place) -> tuple[str, str]:
        """Row and column of the reference beside a cell."""
        if self.methods_are == "row":
            return self.reference, place.column
        return place.row, self.reference


def build(
    table: str,
    layout: Sequence[Place],
    about: About,
    published: dict,
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
    about
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
    """
    places = {(place.row, place.column): place for place in layout if not place.skipped}
    if not places:
        why = "; ".join(dict.fromkeys(str(place.skipped) for place in layout))
        raise UserError(f"{table}: nothing of it can be built: {why}")
    means = per_seed(about.metrics, scores, about.last)
    lines = []
    for metric in about.metrics:
        bounds = load_metric(metric).bounds
        for place in places.values():
            chosen = of_cell(means, place)
            if chosen.empty and about.reaching:
                continue
            if chosen.empty:
                raise UserError(f"{table}: no scores of {place.method} in {place.folder}")
            if metric not in chosen or chosen[metric].isna().all():
                continue  # no Rand score for a method of soft clusters, no accuracy of a regression
            data, by_seed = chosen["data"].iloc[0], chosen.set_index("seed")[metric]
            s = summarise(by_seed.to_numpy(), bounds)
            value = values.value_of(published, place.row, place.column, metric)
            why = why_not(place.row, data, s.n, published, [*differences, *place.unlike])
            cell = {"table": table, "row": place.row, "column": place.column, "metric": metric}
            cell |= {"data": data, "mean": s.mean, "ci_low": s.ci[0], "ci_high": s.ci[1]}
            cell |= {"n_seeds": s.n, "published": value, "verdict": "not-comparable"}
            cell |= {"pi_low": s.prediction[0], "pi_high": s.prediction[1]}
            spread, half = spread_of(published, place, about), 0.0
            if value is not None:
                cell["difference"] = s.mean - value
                decimals = values.decimals_beside(value, published["rows"][place.row])
                half = 0.5 * 10.0**-decimals
                pm = values.plus_minus(published, place.row, place.column)
                cell["published_plus_minus"] = pm
                if not (why or values.unsure(published, place.row, place.column)):
                    cell["verdict"] = judge(s, value, half + (pm or 0.0), spread)
            beside = places.get(about.beside(place)) if about.reference else None
            gaps = paired(by_seed, of_cell(means, beside), metric) if beside else []
            if beside is not place and len(gaps):
                s = summarise(gaps.to_numpy())
                cell |= {"gap": s.mean, "gap_low": s.ci[0], "gap_high": s.ci[1]}
                cell |= {"gap_pi_low": s.prediction[0], "gap_pi_high": s.prediction[1]}
                theirs = values.value_of(published, beside.row, beside.column, metric)
                if value is not None and theirs is not None:
                    cell |= {"gap_published": value - theirs, "gap_verdict": "not-comparable"}
                    doubts = [values.unsure(published, p.row, p.column) for p in (place, beside)]
                    if not (why or beside.unlike or any(doubts)):  # rounding moves both
                        other = values.plus_minus(published, beside.row, beside.column)
                        doubt = 2 * half + np.hypot(pm or 0.0, other or 0.0)
                        cell["gap_verdict"] = judge(s, value - theirs, doubt, spread)
            lines.append(cell)
    for i, row in enumerate(published.get("unlabelled", []), start=1):
        for column, value in zip(published["columns"], row):
            cell = {"table": table, "row": f"{UNLABELLED} {i}", "column": column, "n_seeds": 0}
            cell |= {"metric": published["metric"], "data": published["data"], "published": value}
            lines.append(cell | {"verdict": "not-comparable"})
    return pd.DataFrame(lines, columns=COLUMNS)


def paired(ours: pd.Series, beside: pd.DataFrame, metric: str) -> pd.Series:
    """Differences by seed of a cell's scores to those of another cell, of the seeds of both."""
    if metric not in beside:
        return ours.iloc[:0]
    return (ours - beside.set_index("seed")[metric]).dropna()


def spread_of(published: dict, place: Place, about: About) -> float:
    """Largest less smallest published value of the methods beside a cell; infinite for one."""
    if about.methods_are == "column":
        beside = published["rows"].get(place.row, [])
    elif place.column in published["columns"]:
        at = published["columns"].index(place.column)
        beside = [row[at] for row in published["rows"].values()]
    else:
        beside = []
    known = [value for value in beside if value is not None]
    return max(known) - min(known) if len(known) > 1 else np.inf


def computed(table: str, found: pd.DataFrame, published: dict) -> pd.DataFrame:
    """Make the cells of a table that a study computes: ``row, column, value``.

    A published number is reproduced if ours rounds to it.
    """
    lines = []
    for row, column, ours in found[["row", "column", "value"]].itertuples(index=False):
        value = values.value_of(published, row, column, published["metric"])
        cell = {"table": table, "row": row, "column": column, "metric": "costs", "mean": ours}
        cell |= {"data": "computed", "n_seeds": 1, "verdict": "not-comparable"}
        if value is not None:
            decimals = values.decimals_of(value)
            cell |= {"published": value, "difference": ours - value}
            if not values.unsure(published, row, column):
                cell["verdict"] = "reproduced" if round(ours, decimals) == value else "differs"
        lines.append(cell)
    return pd.DataFrame(lines, columns=COLUMNS)


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
    there = [m for m in metrics if m in scores]
    return scores.groupby(by, sort=True)[there].mean().reset_index()


def of_cell(means: pd.DataFrame, place: Place) -> pd.DataFrame:
    """Lines of a cell's job and method."""
    return means[(means["folder"] == place.folder) & (means["method"] == place.method)]


def why_not(
    row: str, data: str, n_seeds: int, published: dict, differences: list[str]
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


def reasons(cells: pd.DataFrame, published: dict) -> dict[str, list[str]]:
    """Collect :func:`why_not` for each row with a published value, whatever the scale."""
    rows = cells.dropna(subset="published").drop_duplicates("row")
    of_rows = {
        row: why_not(row, data, n, published, [])
        for row, data, n in zip(rows["row"], rows["data"], rows["n_seeds"])
    }
    return {row: why for row, why in of_rows.items() if why}


def skipped(layout: Sequence[Place]) -> dict[str, list[str]]:
    """Why methods cannot run, by what cannot: a cell, or a row or column of which nothing can."""
    found: dict[str, list[str]] = {}
    for place in layout:
        if place.skipped:
            of_row, of_column = (
                {other.skipped for other in layout if getattr(other, of) == getattr(place, of)}
                for of in ("row", "column")
            )
            name = f"{place.row}, {place.column}"
            if len(of_column) == 1 or (None not in of_column and len(of_row) > 1):
                name = place.column
            elif len(of_row) == 1:
                name = place.row
            if place.skipped not in found.setdefault(name, []):
                found[name].append(place.skipped)
    return found


def read(csv: Path | TextIO) -> pd.DataFrame:
    """Read the cells of a table from its csv; labels are texts, as ``"10"`` and ``"NA"``."""
    labels = dict.fromkeys(("row", "column"), str)
    return pd.read_csv(csv, keep_default_na=False, na_values=[""], dtype=labels)
