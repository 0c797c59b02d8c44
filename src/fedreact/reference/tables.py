"""Tables of kept runs as pages, written from their csv (``make docs``).

Titles and notes come from the configuration, numbers from the csv alone, and what a scale does
otherwise than the paper from the file that was kept with them.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact.atomic import write_text
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError
from fedreact.options import vars_of
from fedreact.reference import store
from fedreact.reference.keep import FINDINGS, RUN, scale_then
from fedreact.resolve import variants
from fedreact.resolve.cells import Cell, Cells
from fedreact.resolve.config import load_scale
from fedreact.resolve.datasets import Datasets
from fedreact.resolve.entries import TableSpec
from fedreact.resolve.papers import Paper
from fedreact.resolve.settings import Settings
from fedreact.tables import cells, notes, published, render
from fedreact.tables.grid import Grid, grid
from fedreact.tables.labels import Names
from fedreact.tables.sources import CellSource

MADE = f"<!-- Made by `make docs` from ../{store.TABLES}. -->\n"


class KeptSettings(Settings):
    """Papers, whose scales say what was unlike each when its run was kept.

    Parameters
    ----------
    folder
        ``reference/<scale>``.
    """

    def __init__(self, scale: str, datasets: Datasets, like: str | None, folder: Path):
        super().__init__(scale, datasets, like)
        self.folder = folder

    def paper(self, name: str) -> Paper:
        """A paper, read and checked once."""
        if name not in self._papers:
            paper = super().paper(name)
            then = scale_then(self.folder / name, paper.scale)
            self._papers[name] = replace(paper, scale=then)
        return self._papers[name]


class KeptTables:
    """Tables of the runs that are kept at one scale.

    Parameters
    ----------
    folder
        ``reference/<scale>``, with a folder of each paper.

    Notes
    -----
    The configuration is that of the current folder. No data is looked for: whatever is registered
    counts as there.
    """

    def __init__(self, folder: Path):
        self.folder, self.scale = folder, folder.name
        self.registry = load_registry(*registries())
        like = load_scale(self.scale).like
        known = set(self.registry)
        datasets = Datasets(self.registry, {}, self.scale, like, Path("data"), (), known)
        self.settings = KeptSettings(self.scale, datasets, like, folder)
        self._findings = cache(self._read_findings)
        self._cells = cache(lambda paper: Cells(self.settings, self.settings.paper(paper)))

    def pages(self) -> list[Path]:
        """List the pages of all tables; that of a table lies where ``make docs`` writes it."""
        folders = sorted(path.parent for path in self.folder.glob(f"*/{store.TABLES}"))
        return [_page(folder, name) for folder in folders for name in store.names(folder)]

    def page(self, path: Path) -> str:
        """Write the page of a table.

        Parameters
        ----------
        path
            One of :meth:`pages`.

        Raises
        ------
        UserError
            Its paper has no table of that name any more.
        """
        entry, _ = self._entry(path)
        text = render.markdown(self.grid(path)).removeprefix(f"{entry.title}.").lstrip()
        return f"{MADE}\n# {entry.title}\n\n{text}"

    def grid(self, path: Path) -> Grid:
        """Lay out the table of a page, its notes included."""
        entry, _ = self._entry(path)
        paper, lines = self._paper(path), self.lines(path)
        values = self._published(path)
        names = Names.registered(paper.about.names_of_data, self.registry)
        runs, options = None, vars_of(entry)
        if not entry.study:
            findings = self._findings(path.parents[1]).get(path.stem, {})
            rules, layout = self._rules(path), self._layout(path, lines)
            differences = paper.scale.differences
            runs = notes.TableOfRuns(self.scale, names, rules, layout, differences, findings)
        caption, below = notes.around(options, lines, values, runs)
        return grid(lines, caption, below, names, entry.reference)

    def lines(self, path: Path) -> pd.DataFrame:
        """Read the cells of a page's table."""
        return cells.read(store.table(path.parents[1], path.stem))

    def annotated(self, table: str, row: str, column: str, metric: str = "") -> str:
        """Explain a cell in words, see :func:`fedreact.tables.render.annotated`.

        Parameters
        ----------
        table
            Name of its target, e.g. ``"table05"``.
        row, column, metric
            As in its csv; the first metric if none is named.

        Raises
        ------
        UserError
            There is no such cell.
        """
        pack = store.where(self.folder, f"tables/{table}.csv")
        if pack is None:
            raise UserError(f"{self.folder}: no run keeps a table {table}; `make reference` does")
        path = _page(pack.parent, table)
        paper, values, lines = self._paper(path), self._published(path), self.lines(path)
        chosen = lines[(lines["row"] == row) & (lines["column"] == column)]
        chosen = chosen[chosen["metric"] == metric] if metric else chosen
        if chosen.empty:
            place = ", ".join(part for part in (row, column, metric) if part)
            raise UserError(f"{pack}: {table} has no cell {place}")
        line = {str(name): value for name, value in chosen.iloc[0].items()}
        unlike = [p.unlike for p in self._layout(path, lines) if (p.row, p.column) == (row, column)]
        differences = [*paper.scale.differences, *(text for texts in unlike for text in texts)]
        reasons = cells.why_not(row, line["data"], line["n_seeds"], values, differences)
        doubt = published.unsure(values, row, column)
        return render.annotated(
            line,
            Names.registered(paper.about.names_of_data, self.registry),
            values["source"],
            [*reasons, *([doubt] if doubt else [])],
            f"{self.folder.parent.name}/{path.relative_to(self.folder.parent)}",
        )

    def _paper(self, path: Path) -> Paper:
        """Return the paper of a page."""
        return self.settings.paper(path.parents[1].name)

    def _rules(self, path: Path) -> cells.CellRules:
        """Return which scores a page's table of runs shows, and what they are compared with."""
        entry, _ = self._entry(path)
        return cells.CellRules.of_entry(vars_of(entry), self._paper(path).about.trivial)

    def _entry(self, path: Path) -> tuple[TableSpec, str]:
        """Return the entry of a page's table, and its name in ``tables.yaml``."""
        paper = self._paper(path)
        name = path.stem.removeprefix(paper.prefix)
        if name not in paper.tables:
            raise UserError(
                f"{path.parents[1] / store.TABLES}: {paper.folder}/tables.yaml lacks {name}; "
                "keep the run anew, or take its lines out"
            )
        return paper.tables[name], name

    def _published(self, path: Path) -> Mapping[str, Any]:
        """Read the published values of a page's table."""
        paper = self._paper(path)
        file = paper.folder / "published" / f"{path.stem.removeprefix(paper.prefix)}.yaml"
        return published.read(file if file.exists() else None)

    def _layout(self, path: Path, lines: pd.DataFrame) -> list[CellSource]:
        """Return the cells that the table asks for today; those that this run lacks say why."""
        entry, name = self._entry(path)
        if entry.study:
            return []
        paper = self._paper(path)
        kept = set(zip(lines["row"], lines["column"]))
        data = set(self._run(path).get("data", {}))
        places = []
        for (row, column), cell in self._cells(paper.name).table(name).items():
            place = CellSource(row, column, "", cell.method.name, cell.skipped, cell.unlike)
            if (row, column) in kept:
                place = replace(place, skipped=None)
            elif cell.skipped is None and not entry.reaching:
                place = replace(place, skipped=self._lacking(cell, data))
            places.append(place)
        return places

    def _lacking(self, cell: Cell, data: set[str]) -> str:
        """Say why a run on these datasets lacks a cell."""
        stand_ins = {name for name, entry in self.registry.items() if entry.role == cell.role}
        wanted = stand_ins or {variants.parts(cell.data)[0]}
        if wanted & {variants.parts(name)[0] for name in data}:
            return "this run does not have it"
        return f"the data ({' or '.join(sorted(wanted))}) could not be had"

    def _run(self, path: Path) -> dict[str, Any]:
        """Read the record of the run of a page."""
        file = path.parents[1] / RUN
        return json.loads(file.read_text()) if file.exists() else {}

    def _read_findings(self, folder: Path) -> Mapping[str, Mapping[str, list[str]]]:
        """Read what makes rows of a paper's tables mean nothing."""
        path = folder / FINDINGS
        return json.loads(path.read_text()) if path.exists() else {}


def pages(references: Path) -> dict[Path, str]:
    """Write the pages of all kept tables, by their paths.

    Parameters
    ----------
    references
        The folder ``reference``.
    """
    scales = sorted({path.parents[1] for path in references.glob(f"*/*/{store.TABLES}")})
    runs = map(KeptTables, scales)
    return {path: run.page(path) for run in runs for path in run.pages()}


def write(references: Path) -> int:
    """Write these pages to their files; return how many there are."""
    written = pages(references)
    for path, text in written.items():
        write_text(path, text)
    return len(written)


def _page(folder: Path, name: str) -> Path:
    """Return the path of the page of a table."""
    return folder / "tables" / f"{name}.md"
