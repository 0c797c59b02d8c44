"""A table as people read it: blocks of rows and columns of short texts, with a legend and notes.

Markdown and LaTeX (:mod:`fedreact.tables.render`) are written from it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import pandas as pd

from fedreact.frames import records
from fedreact.metrics.contract import Metric
from fedreact.metrics.grammar import load_metric
from fedreact.tables.decimals import with_digits
from fedreact.tables.labels import UNNAMED, Names
from fedreact.tables.notes import Note

WIDEST = 8
"""Columns of a block; those of a table with more become rows."""
SIGNS = {"reproduced": "=", "differs": "≠", "undecided": "?"}
"""Signs of verdicts; cells that are not comparable have no sign."""
BETTER, WORSE = "↑", "↓"
ABSENT = "–"
SAME = "(same)"
"""Stands for an interval where all seeds have the same score."""
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
CUT = 2e-6
"""Difference of an interval's two sides beyond which it was cut at a bound of its score: a csv has
six decimals."""


@dataclass(frozen=True)
class CellText:
    """A cell as texts; what there is not is empty.

    Attributes
    ----------
    mean, spread
        Rebuilt mean, and ``± half width`` of its 95% interval; the whole interval in parentheses
        if a bound of the score cuts it.
    published
        Published value.
    sign
        Sign of the verdict, see :data:`SIGNS`.
    against
        :data:`BETTER` or :data:`WORSE` than the reference, if significantly so.
    mark
        Number of its note.
    """

    mean: str = ""
    spread: str = ""
    published: str = ""
    sign: str = ""
    against: str = ""
    mark: str = ""

    @property
    def rebuilt(self) -> str:
        """Mean and spread."""
        return " ".join(part for part in (self.mean, self.spread) if part)

    @property
    def text(self) -> str:
        """All in one line, e.g. ``0.902 ± 0.005 [0.774] ≠``."""
        published = f"[{self.published}]" if self.published else ""
        parts = (self.rebuilt, published, self.sign, self.against)
        return (" ".join(part for part in parts if part) or ABSENT) + self.mark


@dataclass(frozen=True)
class GridBlock:
    """Part of a table, by one metric: names of columns, and names of rows with their cells."""

    title: str
    columns: list[str]
    rows: list[tuple[str, list[CellText]]]


@dataclass(frozen=True)
class Grid:
    """A table as people read it.

    Attributes
    ----------
    caption
        Above it.
    blocks
        One or more a metric, each of at most :data:`WIDEST` columns.
    legend
        What the parts and signs of a cell mean; empty if a cell is a number alone.
    notes
        Below it.
    """

    caption: str
    blocks: list[GridBlock]
    legend: str
    notes: list[str]


def grid(
    cells: pd.DataFrame,
    caption: str,
    notes: Sequence[Note],
    names: Names = UNNAMED,
    reference: str | None = None,
    own: bool = False,
) -> Grid:
    """Lay out the cells of a table.

    Parameters
    ----------
    cells
        Its lines, as :func:`fedreact.tables.cells.read` reads them.
    caption, notes
        See :mod:`fedreact.tables.notes`.
    names
        Names of the data.
    reference
        Label of the method that the others are compared with, if any.
    own
        Whether the data is a user's own, so that nothing is rebuilt.
    """
    labels = names.labels(cells, "column") | names.labels(cells, "row")
    marks, texts = _marks(notes)
    named = {label: name + marks.get(label, "") for label, name in labels.items()}
    metrics = {m: load_metric(m) for m in dict.fromkeys(cells["metric"])}
    if own:
        metrics = {
            name: with_digits(metric, cells.loc[cells["metric"] == name, "mean"])
            for name, metric in metrics.items()
        }
    shown = {
        (line["row"], line["column"], line["metric"]): cell_of(
            line, metrics[line["metric"]], reference, marks
        )
        for line in records(cells)
    }
    titles = {name: title_of(metric) for name, metric in metrics.items()}
    blocks = list(_blocks(_tables(shown), named | titles))
    compared = labels.get(reference, reference) if reference else None
    legend = _legend(shown.values(), blocks, cells, compared)
    return Grid(caption, blocks, legend.replace("rebuilt ", "") if own else legend, texts)


def _tables(
    shown: Mapping[tuple[str, str, str], CellText],
) -> dict[str, dict[tuple[str, str], CellText]]:
    """Arrange cells by their labels on the left and above, for each title above them.

    A metric is a title, or a column where it has one row or column alone. Columns stand on the left
    where there are too many.
    """
    rows, columns, metrics = (list(dict.fromkeys(labels)) for labels in zip(*shown))
    single = 1 if len(columns) == 1 else 0 if len(rows) == 1 else None
    turned = len(columns) > WIDEST and len(columns) >= len(rows)
    tables: dict[str, dict[tuple[str, str], CellText]] = {}
    for (row, column, metric), cell in shown.items():
        if single is not None and 1 < len(metrics) <= WIDEST:
            title, labels = (row, column)[single], ((row, column)[1 - single], metric)
        else:
            title, labels = metric, (column, row) if turned else (row, column)
        tables.setdefault(title, {})[labels] = cell
    return tables


def _blocks(
    tables: Mapping[str, Mapping[tuple[str, str], CellText]], named: Mapping[str, str]
) -> Iterator[GridBlock]:
    """Split tables into blocks of at most :data:`WIDEST` columns."""
    for title, cells in tables.items():
        rows, columns = (list(dict.fromkeys(labels)) for labels in zip(*cells))
        n = -(-len(columns) // WIDEST)
        for i in range(n):
            part = columns[len(columns) * i // n : len(columns) * (i + 1) // n]
            present = [row for row in rows if any((row, column) in cells for column in part)]
            yield GridBlock(
                named[title] + (f", part {i + 1} of {n}" if n > 1 else ""),
                [named[column] for column in part],
                [
                    (named[r], [cells.get((r, column), CellText()) for column in part])
                    for r in present
                ],
            )


def title_of(metric: Metric) -> str:
    """Return the title of a metric, with which of its values are better."""
    return f"{metric.title} ({metric.better} is better)" if metric.better else metric.title


def cell_of(
    line: Mapping[str, Any],
    metric: Metric,
    reference: str | None = None,
    marks: Mapping[Any, str] | None = None,
) -> CellText:
    """Write a line of a table's csv as the texts of a cell."""
    judged = not (_is_empty(line["published"]) or _is_empty(line["mean"]))
    return CellText(
        mean=number(line["mean"], metric.decimals),
        spread="" if metric.counted else spread(line, metric.decimals),
        published=_published(line, metric.decimals),
        sign=SIGNS.get(line["verdict"], "") if judged else "",
        against=_against(line, metric) if reference else "",
        mark=""
        if _is_empty(line["published"])
        else (marks or {}).get((line["row"], line["column"]), ""),
    )


def _published(line: Mapping[str, Any], decimals: int) -> str:
    """Write a published value, with the number that its paper prints after ±."""
    beside = line.get("published_plus_minus")
    more = "" if _is_empty(beside) else f" ± {number(beside, decimals)}"
    return number(line["published"], decimals) + more


def spread(line: Mapping[str, Any], decimals: int) -> str:
    """Write the 95% interval of a mean: ``± 0.005``, or ``(0.985–1.000)`` if a bound cuts it.

    If all seeds have the same score, it is :data:`SAME`. With one seed, it is empty.
    """
    mean, low, high = line["mean"], line["ci_low"], line["ci_high"]
    if _is_empty(low) or _is_empty(high):
        return ""
    if low == high:
        return SAME
    if abs((high - mean) - (mean - low)) > CUT:
        between = "–" if low >= 0 else " to "
        return f"({number(low, decimals)}{between}{number(high, decimals)})"
    return f"± {number((high - low) / 2, decimals)}"


def number(value: float | None, decimals: int) -> str:
    """Write a number; empty if there is none."""
    return "" if _is_empty(value) else f"{value:,.{decimals}f}"


def _is_empty(value: Any) -> bool:
    """Say whether a cell of a csv is empty, as pandas or the csv module reads it."""
    return value is None or value == "" or value != value


def _against(line: Mapping[str, Any], metric: Metric) -> str:
    """Return the sign of a score that is significantly better or worse than its reference."""
    if metric.counted or not metric.better or _is_empty(line["gap_low"]):
        return ""
    higher, lower = (BETTER, WORSE) if metric.better == "higher" else (WORSE, BETTER)
    if line["gap_low"] > 0:
        return higher
    return lower if line["gap_high"] < 0 else ""


def _marks(notes: Sequence[Note]) -> tuple[dict[Any, str], list[str]]:
    """Number the notes: marks of rows and of cells by their labels, and texts with their marks."""
    marks: dict[Any, str] = {}
    texts, numbers = [], count(1)
    for note in notes:
        places = (*note.rows, *note.cells)
        mark = str(next(numbers)).translate(SUPERSCRIPTS) if places else ""
        for place in places:
            before = f"{marks[place]}," if place in marks else ""
            marks[place] = before + mark
        texts.append(f"{mark} {note.text}".strip())
    return marks, texts


def _legend(
    shown: Collection[CellText],
    blocks: Sequence[GridBlock],
    cells: pd.DataFrame,
    reference: str | None,
) -> str:
    """Say what the parts and signs of the shown cells mean."""
    parts = []
    if any(cell.spread for cell in shown):
        parts.append(
            "A cell is the rebuilt mean ± half the width of its 95% interval"
            + (" [published value]" if any(cell.published for cell in shown) else "")
        )
    elif any(cell.published for cell in shown):
        parts.append("A cell is the rebuilt value [published value]")
    if any("±" in cell.published for cell in shown):
        parts.append("± in brackets is the paper's own")
    if any(cell.spread == SAME for cell in shown):
        parts.append(f"{SAME}: for all seeds")
    if any("(" in cell.spread and cell.spread != SAME for cell in shown):
        parts.append("(low–high): the interval ends at a bound of the score")
    signs = {cell.sign for cell in shown} - {""}
    if signs:
        words = [f"{sign} {verdict}" for verdict, sign in SIGNS.items() if sign in signs]
        parts.append(f"{', '.join(words)}; no sign: not comparable")
    elif any(cell.published and cell.mean for cell in shown):
        parts.append("no cell is comparable with its published value, as the notes say")
    if any(cell.against for cell in shown):
        parts.append(
            f"{BETTER} significantly better, {WORSE} significantly worse than {reference} "
            "(95% interval of the difference by seed)"
        )
    if any(
        not cell.rebuilt and not cell.published for b in blocks for _, r in b.rows for cell in r
    ):
        parts.append(f"{ABSENT} no such score")
    if any(cell.spread for cell in shown) and (cells["n_seeds"] == 1).any():
        parts.append("no ±: one seed")
    return f"{'; '.join(parts)}." if parts else ""
