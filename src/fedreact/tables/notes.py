"""The caption of a table, and the notes below it: what a reader has to know of its cells."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fedreact.metrics.grammar import load_metric
from fedreact.tables import cells as of_cells
from fedreact.tables.cells import ALL, CellRules
from fedreact.tables.labels import Names
from fedreact.tables.published import NOTHING, Published, doubts
from fedreact.tables.sources import CellSource


@dataclass(frozen=True)
class Note:
    """A note below a table.

    Attributes
    ----------
    text
        One or more sentences.
    rows, cells
        Labels of the rows that it is about, or of rows and columns; of the whole table if neither.
    """

    text: str
    rows: tuple[str, ...] = ()
    cells: tuple[tuple[str, str], ...] = ()

    def alone(self, names: Mapping[str, str]) -> str:
        """Return the note after the names of what it is about, for a place without marks.

        ``names`` are those of rows and columns, by their labels.
        """
        about = [names.get(row, row) for row in self.rows]
        about += [", ".join(names.get(label, label) for label in labels) for labels in self.cells]
        return f"{'; '.join(about)}: {self.text}" if about else self.text


@dataclass(frozen=True)
class TableOfRuns:
    """What a table of runs is made of; a table of a study has none.

    Attributes
    ----------
    scale
        Scale of the runs.
    names
        Names of the data.
    rules
        Which scores it shows.
    layout
        Cells that were asked for, with what the scale does otherwise in each.
    differences
        How this scale differs from the paper in all cells.
    findings
        What makes the scores of a row mean nothing (:func:`fedreact.tables.cells.findings`).
    """

    scale: str
    names: Names
    rules: CellRules
    layout: Sequence[CellSource]
    differences: Sequence[str]
    findings: Mapping[str, Sequence[str]]


def around(
    entry: Mapping[str, Any], cells: pd.DataFrame, published: Published, runs: TableOfRuns | None
) -> tuple[str, list[Note]]:
    """Return the caption of a table and the notes below it.

    Parameters
    ----------
    entry
        Its entry in ``tables.yaml``.
    cells
        Lines of the table.
    published
        Content of its file of published values.
    runs
        What it is made of; None for a study.
    """
    source = published["source"]
    if runs is None:
        title, below = caption_of_study(entry["title"], source), of_study(cells, published)
    else:
        title = caption(entry["title"], cells, runs.scale, source, runs.names, when=runs.rules.when)
        below = of_scores(
            cells, runs.rules.metrics, runs.layout, published, runs.differences, runs.findings
        )
    return title, below + plain(entry.get("notes", []))


def caption(
    title: str,
    cells: pd.DataFrame,
    scale: str,
    source: str,
    names: Names,
    when: str = ALL,
) -> str:
    """Say what a table shows, of what data, at what scale, and what it is a mean of.

    Parameters
    ----------
    title
        Title of its entry.
    cells
        Its lines, as :func:`fedreact.tables.cells.build` makes them.
    scale
        Scale of the run.
    source
        Source of the published values.
    names
        Names of the data.
    when
        Which of a run's scores are used (``when`` of :class:`fedreact.tables.cells.CellRules`).
    """
    rebuilt = cells[cells["n_seeds"] > 0]
    numbers = sorted(set(rebuilt["n_seeds"].astype(int)))
    fewest, most = numbers[0], numbers[-1]
    seeds = f"{most} seeds" if most > 1 else "one seed"
    seeds = f"{fewest} to {seeds}" if fewest < most else seeds
    data = names.datasets(sorted(rebuilt["data"].unique()))
    return (
        f"{title}. Rebuilt at scale {scale} on {data}: mean over clients {when}, {seeds}. "
        f"{_published(source)}"
    ).rstrip()


def caption_of_study(title: str, source: str) -> str:
    """Say what a table of a study shows, and what stands beside it."""
    return f"{title}. {_published(source)}".rstrip()


def _published(source: str) -> str:
    return "" if source == NOTHING["source"] else f"Published values: {source}."


def of_scores(
    cells: pd.DataFrame,
    metrics: Sequence[str],
    layout: Sequence[CellSource],
    published: Published,
    differences: Sequence[str],
    findings: Mapping[str, Sequence[str]],
) -> list[Note]:
    """Collect what a reader has to know of the cells of a table.

    Parameters
    ----------
    cells
        Lines of the table.
    metrics
        Metrics that were asked for.
    layout
        Cells that were asked for, with what the scale does otherwise in each.
    published
        Content of its file of published values.
    differences
        How this scale differs from the paper in all cells.
    findings
        What makes the scores of a row mean nothing (:func:`fedreact.tables.cells.findings`).
    """
    rows = [r for r in dict.fromkeys(cells["row"]) if not r.startswith(of_cells.UNLABELLED)]
    unlike = {row: list(differences) for row in rows}
    for source in layout:
        texts = unlike.get(source.row, [])
        texts += [text for text in source.unlike if text not in texts]
    return [
        *_by_rows(unlike, "Unlike the paper: ", rows),
        *_by_rows(
            of_cells.reasons(cells, published),
            "Not comparable with the published values: ",
            rows,
        ),
        *_by_rows(of_cells.nearly(cells, published), "Nearly comparable, except for this: ", rows),
        *_doubts(published, cells),
        *_by_rows(findings, "Caution: ", rows),
        *_left_out(of_cells.skipped(layout)),
        *limits(cells, metrics),
    ]


def of_study(cells: pd.DataFrame, published: Published) -> list[Note]:
    """Collect why single published values of a study cannot be judged."""
    return _doubts(published, cells)


def _by_rows(
    reasons: Mapping[str, Sequence[str]], opening: str, everything: Sequence[str]
) -> list[Note]:
    """Write a note for each group of rows with the same reasons; it names no rows if it is all."""
    rows_of: dict[str, list[str]] = {}
    for row, texts in reasons.items():
        for text in texts:
            if any(text in other and text != other for other in texts):
                continue  # another one says it, too
            rows_of.setdefault(text, []).append(row)
    texts_of: dict[tuple[str, ...], list[str]] = {}
    for text, rows in rows_of.items():
        group = () if set(everything) <= set(rows) else tuple(rows)
        texts_of.setdefault(group, []).append(text)
    return [
        Note(sentence(opening + "; ".join(texts)), rows)
        for rows, texts in sorted(texts_of.items(), key=lambda group: bool(group[0]))
    ]


def _doubts(published: Published, cells: pd.DataFrame) -> list[Note]:
    shown = set(zip(cells["row"], cells["column"]))
    by_doubt: dict[str, list[tuple[str, str]]] = {}
    for labels, doubt in doubts(published).items():
        if labels in shown:
            by_doubt.setdefault(doubt, []).append(labels)
    return [
        Note(sentence(f"Not judged: {doubt}"), cells=tuple(labels))
        for doubt, labels in by_doubt.items()
    ]


def _left_out(skipped: Mapping[str, Sequence[str]]) -> list[Note]:
    names_of: dict[str, list[str]] = {}
    for name, reasons in skipped.items():
        names_of.setdefault("; ".join(reasons), []).append(name)
    return [
        Note(sentence(f"Left out: {'; '.join(names)}. Reason: {reason}"))
        for reason, names in names_of.items()
    ]


def limits(cells: pd.DataFrame, metrics: Sequence[str]) -> list[Note]:
    """Say what a table cannot show of what was asked of it, and what its intervals cannot say."""
    notes, shown = [], set(cells["metric"])
    if absent := [load_metric(m).title for m in metrics if m not in shown]:
        reason = "this data does not define it, or these runs did not compute it"
        notes.append(Note(f"Not shown: {'; '.join(absent)}. Reason: {reason}."))
    if cells["n_seeds"].max() == 2:
        notes.append(Note("An interval of two seeds says next to nothing."))
    return notes


def sentence(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def plain(texts: Iterable[str]) -> list[Note]:
    """Make notes of the whole table from texts, each in one line."""
    return [Note(" ".join(text.split())) for text in texts]
