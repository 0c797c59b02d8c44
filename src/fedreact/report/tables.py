"""A table as the report shows it: a block a metric, a cell with all that is known of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact.frames import records
from fedreact.metrics.grammar import load_metric
from fedreact.report.names import interval, number, printed
from fedreact.tables.files import ORIGINS
from fedreact.tables.labels import Names

WIDEST = 7
"""Columns that fit a screen. Of a table with more, these are shown as rows."""
MARKS = {"reproduced": "=", "differs": "≠", "undecided": "?"}
"""Signs of verdicts, which need no colour."""


@dataclass(frozen=True)
class Cell:
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
class Block:
    """What a table shows of one metric: labels of columns, and rows of cells by their labels."""

    title: str
    better: str | None
    corner: str
    columns: list[str]
    rows: list[tuple[str, list[Cell | None]]]


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
        Its csv's, a mapping a cell.
    origins
        What lies beside it, see :mod:`fedreact.tables.origins`.
    """

    name: str
    printed: str
    title: str
    caption: str
    notes: list[str]
    reference: str | None
    blocks: list[Block]
    lines: list[dict[str, Any]]
    origins: dict[str, Any]
    csv: Path

    @property
    def heading(self) -> str:
        """For people."""
        return f"{self.printed}. {self.title}" if self.printed else self.title

    @property
    def gaps(self) -> bool:
        """Whether it compares methods with one of them."""
        return any(cell and cell.gap for b in self.blocks for _, row in b.rows for cell in row)


def read(given: Mapping[str, Any]) -> Table:
    """Read a table.

    Parameters
    ----------
    given
        ``name`` of its target, ``short`` in its paper, ``csv``, ``title``, whether ``methods`` are
        its rows or its columns, if either, and the ``names`` that its paper gives its data, by
        role.
    """
    csv = Path(given["csv"])
    labels = dict.fromkeys(("row", "column"), str)  # "10" and "NA" are labels, too
    found = pd.read_csv(csv, keep_default_na=False, na_values=[""], dtype=labels)
    lines = records(found.astype(object).where(found.notna(), None))
    origins = json.loads(csv.with_suffix(ORIGINS).read_text())
    caption = origins["caption"].removeprefix(f"{given['title']}. ")
    return Table(
        given["name"],
        printed(given["short"]),
        given["title"],
        caption,
        origins["notes"],
        origins["reference"],
        list(_blocks(lines, given["methods"], _labels(found, given))),
        lines,
        origins,
        csv,
    )


def _labels(cells, given):
    """Labels of rows and columns as people read them: by the data that is in them."""
    names = Names(given["names"])
    return {side: names.labels(cells, side) for side in ("row", "column")}


def _blocks(lines, methods, labels):
    """A block a metric; columns become rows where they would not fit."""
    of_metric: dict[str, list[tuple[int, dict]]] = {}
    for at, line in enumerate(lines):
        of_metric.setdefault(line["metric"], []).append((at, line))
    n = {key: len({line[key] for line in lines}) for key in ("row", "column")}
    turned = n["column"] > max(WIDEST, n["row"])
    side, top = ("column", "row") if turned else ("row", "column")
    for metric, placed in of_metric.items():
        shown = load_metric(metric)
        best = _best(placed, methods, shown.better)
        cells = {(line[side], line[top]): _cell(at, line, shown, at in best) for at, line in placed}
        columns, rows = ([*dict.fromkeys(line[key] for _, line in placed)] for key in (top, side))
        yield Block(
            shown.title,
            shown.better,
            {"row": "Setting", "column": "Method"}[side] if methods == "column" else "",
            [labels[top].get(column, column) for column in columns],
            [
                (labels[side].get(row, row), [cells.get((row, column)) for column in columns])
                for row in rows
            ],
        )


def _best(placed, methods, better):
    """Places of the best methods of each setting, if any method stands beside another."""
    if not (methods and better):
        return set()
    setting, found = {"column": "row", "row": "column"}[methods], set()
    groups: dict[str, list[tuple[int, float]]] = {}
    for at, line in placed:
        if line["n_seeds"]:
            groups.setdefault(line[setting], []).append((at, line["mean"]))
    for group in groups.values():
        most = (min if better == "lower" else max)(mean for _, mean in group)
        found |= {at for at, mean in group if mean == most and len(group) > 1}
    return found


def _cell(at, line, metric, best):
    d, has = metric.decimals, line["n_seeds"]
    ci, gap = (
        "" if metric.counted else interval(line[f"{key}_low"], line[f"{key}_high"], d, sign)
        for key, sign in (("ci", ""), ("gap", "+"))
    )
    if gap:
        gap = f"{number(line['gap'], d, '+')} ({gap})"
    elif metric.better and not metric.counted:
        gap = number(line["gap"], d, "+")
    verdict = (line["verdict"] or "") if line["published"] is not None else ""
    told = number(line["published"], d) if line["published"] is not None else ""
    return Cell(at, number(line["mean"], d) if has else "", ci, told, verdict, gap, best)
