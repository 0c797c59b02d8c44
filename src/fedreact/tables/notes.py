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
    own
        Whether the data is a user's own, so that there is no paper to compare with.
    """

    scale: str
    names: Names
    rules: CellRules
    layout: Sequence[CellSource]
    differences: Sequence[str]
    findings: Mapping[str, Sequence[str]]
    own: bool = False


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
        when = runs.rules.when
        title = caption(entry["title"], cells, runs.scale, source, runs.names, when, runs.own)
        below = of_scores(
            cells,
            runs.rules.metrics,
            runs.layout,
            published,
            runs.differences,
            runs.findings,
            runs.own,
        )
        below += trivial_ahead(cells, runs.rules)
    return title, below + plain(entry.get("notes", []))


def caption(
    title: str,
    cells: pd.DataFrame,
    scale: str,
    source: str,
    names: Names,
    when: str = ALL,
    own: bool = False,
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
    own
        Whether the data is a user's own, so that nothing is rebuilt.
    """
    rebuilt = cells[cells["n_seeds"] > 0]
    numbers = sorted(set(rebuilt["n_seeds"].astype(int)))
    fewest, most = numbers[0], numbers[-1]
    seeds = f"{most} seeds" if most > 1 else "one seed"
    seeds = f"{fewest} to {seeds}" if fewest < most else seeds
    data = names.datasets(sorted(rebuilt["data"].unique()))
    verb = "Run" if own else "Rebuilt"
    return (
        f"{title}. {verb} at scale {scale} on {data}: mean over clients {when}, {seeds}. "
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
    own: bool = False,
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
    own
        Whether the data is a user's own, so that there is no paper to differ from.
    """
    rows = [r for r in dict.fromkeys(cells["row"]) if not r.startswith(of_cells.UNLABELLED)]
    unlike = {row: list(differences) for row in rows}
    for source in layout:
        texts = unlike.get(source.row, [])
        texts += [text for text in source.unlike if text not in texts]
    return [
        *_by_rows(unlike, "At this scale: " if own else "Unlike the paper: ", rows),
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
        *(blanks(cells, metrics) if own else []),
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


def trivial_ahead(cells: pd.DataFrame, rules: CellRules) -> list[Note]:
    """Flag the settings in which a predictor that learns nothing is ahead."""
    titles: dict[tuple[str, str], list[str]] = {}
    for (setting, metric), label in rules.flagged(cells).items():
        titles.setdefault((setting, label), []).append(load_metric(metric).title)
    beside = f"{rules.reference}, or not" if rules.reference else "all methods, or not"
    reasons = {
        setting: [
            f"by {'; '.join(by)}, {label} is better than {beside} significantly worse than the "
            "best method"
        ]
        for (setting, label), by in titles.items()
    }
    axis = "row" if rules.methods_are == "column" else "column"
    return _by_rows(reasons, "Trivial predictor ahead: ", list(dict.fromkeys(cells[axis])))


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


def blanks(cells: pd.DataFrame, metrics: Sequence[str]) -> list[Note]:
    """Say which cells lack a metric of predictions that others have."""
    built = cells[cells["n_seeds"] > 0]
    everything = dict.fromkeys(zip(built["row"], built["column"]))
    cells_of: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for name in metrics:
        own = built[built["metric"] == name]
        lacking = [place for place in everything if place not in {*zip(own["row"], own["column"])}]
        if len(own) and lacking and load_metric(name).samples is not None:
            cells_of.setdefault(tuple(lacking), []).append(load_metric(name).title)
    return [
        Note(
            f"{'; '.join(titles)}: not shown for {_few([', '.join(place) for place in places])}. "
            "Reason: their runs did not compute it, or their data does not define it."
        )
        for places, titles in cells_of.items()
    ]


def _few(texts: Sequence[str], most: int = 5) -> str:
    """List texts, at most so many."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def sentence(text: str) -> str:
    """Return a text that ends as a sentence does."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def plain(texts: Iterable[str]) -> list[Note]:
    """Make notes of the whole table from texts, each in one line."""
    return [Note(" ".join(text.split())) for text in texts]
