"""A table as the report shows it: a block a metric, a cell with all that is known of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fedreact.frames import records
from fedreact.metrics.contract import Metric
from fedreact.metrics.grammar import load_metric
from fedreact.report.names import interval, number, printed
from fedreact.report.sources import TableSource
from fedreact.tables.cells import read as read_cells
from fedreact.tables.files import ORIGINS
from fedreact.tables.labels import Names

Line = Mapping[str, Any]
"""A line of the csv of a table."""
Side = Literal["row", "column"]

WIDEST = 7
"""Columns that fit a screen. In a table with more columns, these become rows."""
MARKS = {"reproduced": "=", "differs": "≠", "undecided": "?"}
"""Signs of verdicts, which need no colour."""


@dataclass(frozen=True)
class ReportCell:
    """One cell, as texts.

    Attributes
    ----------
    at
        Its place among the lines of the table's csv.
    mean, ci, published, gap
        Rebuilt score, its interval, the published value, and the difference to the reference.
    verdict
        How the published value compares, if there is one.
    best
        Whether no other method beside it is better.
    """

    at: int
    mean: str
    ci: str = ""
    published: str = ""
    verdict: str = ""
    gap: str = ""
    best: bool = False

    @property
    def mark(self) -> str:
        """The sign of its verdict; none where nothing can be compared."""
        return MARKS.get(self.verdict, "")


@dataclass(frozen=True)
class ReportBlock:
    """The part of a table by one metric: labels of columns, and rows of cells by their labels."""

    title: str
    better: str | None
    corner: str
    columns: list[str]
    rows: list[tuple[str, list[ReportCell | None]]]


@dataclass(frozen=True)
class Table:
    """A table of the report.

    Attributes
    ----------
    name
        Name of its target, files and place in the page.
    printed, title
        What its paper calls it, and what it shows.
    lines
        Lines of its csv, a mapping a cell.
    origins
        Its origins, see :mod:`fedreact.tables.origins`.
    """

    name: str
    printed: str
    title: str
    caption: str
    notes: list[str]
    reference: str | None
    blocks: list[ReportBlock]
    lines: list[dict[str, Any]]
    origins: dict[str, Any]
    csv: Path

    @property
    def heading(self) -> str:
        """The name for people."""
        return f"{self.printed}. {self.title}" if self.printed else self.title

    @property
    def gaps(self) -> bool:
        """Whether it compares methods with one of them."""
        return any(cell and cell.gap for b in self.blocks for _, row in b.rows for cell in row)


def read(source: TableSource) -> Table:
    """Read a table and its origins."""
    csv = Path(source.csv)
    cells = read_cells(csv)
    lines = records(cells.astype(object).where(cells.notna(), None))
    origins = json.loads(csv.with_suffix(ORIGINS).read_text())
    names = Names(source.names)
    labels = {side: names.labels(cells, side) for side in ("row", "column")}
    return Table(
        name=source.name,
        printed=printed(source.short),
        title=source.title,
        caption=origins["caption"].removeprefix(f"{source.title}. "),
        notes=origins["notes"],
        reference=origins["reference"],
        blocks=list(_blocks(lines, source.methods, labels)),
        lines=lines,
        origins=origins,
        csv=csv,
    )


def _blocks(
    lines: Sequence[Line], methods: Side | None, labels: Mapping[str, Mapping[str, str]]
) -> Iterator[ReportBlock]:
    """Yield a block for each metric; columns become rows where they would not fit."""
    by_metric: dict[str, list[tuple[int, Line]]] = {}
    for place, line in enumerate(lines):
        by_metric.setdefault(line["metric"], []).append((place, line))
    n = {key: len({line[key] for line in lines}) for key in ("row", "column")}
    turned = n["column"] > max(WIDEST, n["row"])
    side, top = ("column", "row") if turned else ("row", "column")
    for name, placed in by_metric.items():
        metric = load_metric(name)
        best = _best(placed, methods, metric.better)
        cells = {
            (line[side], line[top]): _cell(place, line, metric, place in best)
            for place, line in placed
        }
        columns, rows = ([*dict.fromkeys(line[key] for _, line in placed)] for key in (top, side))
        yield ReportBlock(
            metric.title,
            metric.better,
            {"row": "Setting", "column": "Method"}[side] if methods == "column" else "",
            [labels[top].get(column, column) for column in columns],
            [
                (labels[side].get(row, row), [cells.get((row, column)) for column in columns])
                for row in rows
            ],
        )


def _best(placed: Sequence[tuple[int, Line]], methods: Side | None, better: str | None) -> set[int]:
    """Return the places of the best methods of each setting, if it has several methods."""
    if not (methods and better):
        return set()
    setting = {"column": "row", "row": "column"}[methods]
    groups: dict[str, list[tuple[int, float]]] = {}
    for place, line in placed:
        if line["n_seeds"]:
            groups.setdefault(line[setting], []).append((place, line["mean"]))
    best: set[int] = set()
    for group in groups.values():
        most = (min if better == "lower" else max)(mean for _, mean in group)
        best |= {place for place, mean in group if mean == most and len(group) > 1}
    return best


def _cell(place: int, line: Line, metric: Metric, best: bool) -> ReportCell:
    d = metric.decimals
    ci, gap = (
        "" if metric.counted else interval(line[f"{key}_low"], line[f"{key}_high"], d, sign)
        for key, sign in (("ci", ""), ("gap", "+"))
    )
    if gap:
        gap = f"{number(line['gap'], d, '+')} ({gap})"
    elif metric.better and not metric.counted:
        gap = number(line["gap"], d, "+")
    is_published = line["published"] is not None
    return ReportCell(
        at=place,
        mean=number(line["mean"], d) if line["n_seeds"] else "",
        ci=ci,
        published=number(line["published"], d) if is_published else "",
        verdict=(line["verdict"] or "") if is_published else "",
        gap=gap,
        best=best,
    )
