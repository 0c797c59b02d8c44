"""Jobs that make tables, figures and studies, by the names of their targets."""

import json
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.figures import looks
from fedreact.kinds.contract import Role, role
from fedreact.notes import contract as notes
from fedreact.notes.sources import Comparison
from fedreact.reading import as_json
from fedreact.resolve import variants
from fedreact.resolve.cells import Cell
from fedreact.resolve.code import digest
from fedreact.resolve.entries import TableSpec
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.figure_inputs import FigureInputs
from fedreact.resolve.job import Job
from fedreact.resolve.papers import Paper
from fedreact.tables.sources import CellSource

WAITING = "no run of it is kept yet"
"""Why a cell is left out of a table that is made while runs are missing."""


class Outputs:
    """Tables and figures: what they show, whether they can be made here, and their jobs."""

    def __init__(self, experiments: Experiments):
        self.experiments = experiments
        self.datasets, self.files = experiments.datasets, experiments.files
        self._cells: dict[str, dict[tuple[str, str], Cell]] = {}
        self._inputs: dict[str, FigureInputs] = {}

    # ---- What they show ------------------------------------------------------------------------

    def entry(self, target: str) -> tuple[Paper, str, Any]:
        """Paper of a table or figure, its name there, and its entry."""
        tables = target in self.experiments.tables
        paper, name = (self.experiments.tables if tables else self.experiments.figures)[target]
        content = self.experiments.settings.paper(paper)
        return content, name, (content.tables if tables else content.figures)[name]

    def cells(self, target: str) -> dict[tuple[str, str], Cell]:
        """Cells of a table or figure by the labels of row and column, or panel and curve."""
        if target not in self._cells:
            paper, name, _ = self.entry(target)
            cells = self.experiments.cells(paper.name)
            table = target in self.experiments.tables
            self._cells[target] = cells.table(name) if table else cells.figure(name)
        return self._cells[target]

    def datasets_of(self, target: str) -> list[str]:
        """Datasets that a table or figure shows."""
        names = [cell.data for cell in self.cells(target).values() if not cell.skipped]
        if target in self.experiments.figures:
            names += self._figure_inputs(target).data
        return list(dict.fromkeys(names))

    def datasets_shown(self, asked: Iterable[str] = ()) -> list[str]:
        """Datasets of tables, figures and papers, of the chosen papers if none is given."""
        named, papers = self.experiments.tables | self.experiments.figures, self.experiments.names
        targets: list[str] = []
        for name in asked:
            targets += self.chosen(named, [name]) if name in papers else [name]
        targets = [target for target in targets if target in named] or self.chosen(named)
        names = [data for target in targets for data in self.datasets_of(target)]
        return list(dict.fromkeys(names))

    def roles(self, target: str) -> set[str]:
        """What the data of a table or figure stands for, if it is made of scores."""
        return {cell.role for cell in self.cells(target).values()}

    def comparison(self, target: str) -> Comparison:
        """What notes on a table need to know of its methods."""
        return Comparison(self.roles_of_methods(target), self.entry(target)[0].about.margins)

    def roles_of_methods(self, target: str) -> dict[str, Role]:
        """Part of each method of a table in the comparison, by its label."""
        paper, _, spec = self.entry(target)
        axis = 0 if spec.rows_are == "methods" else 1
        found: dict[str, Role] = {}
        for labels, cell in self.cells(target).items():
            if labels[axis] not in found:
                found[labels[axis]] = self._role(paper, labels[axis], cell)
        return found

    def _role(self, paper: Paper, label: str, cell: Cell) -> Role:
        """Part of a method: ``paper.yaml`` may say it, else its algorithm or kind of run does."""
        if label in paper.about.trivial:
            return "trivial"
        if label in paper.about.pooled:
            return "pooled"
        if label in paper.about.federated:
            return "federated"
        settings = self.experiments.settings
        setting, changes = settings.parsed(paper.name, cell.kind, cell.setting)
        return role(cell.kind, cell.method, settings.run(paper.name, cell.kind, setting, changes))

    def stands_in(self, cell: Cell) -> bool:
        """Whether its data is a user's own in place of the paper's."""
        return self.datasets.is_own(cell.data) and cell.role in self.datasets.roles

    # ---- Which can be made here ----------------------------------------------------------------

    def chosen(self, named: Mapping[str, tuple[str, str]], papers: Iterable[str] = ()) -> list[str]:
        """Tables or figures of some papers that can be made here.

        The papers are those that the configuration names, if none are given.
        """
        wanted = list(papers) or self.experiments.papers
        return [
            target
            for target, (paper, _) in named.items()
            if paper in wanted and not self.missing(target)
        ]

    def missing(self, target: str) -> str | None:
        """Why nothing of a table or figure can be made here; ``None`` if something can."""
        reasons = [cell.skipped for cell in self.cells(target).values()]
        if not reasons and target in self.experiments.figures:
            data = self._figure_inputs(target).data
            reasons = [self.datasets.missing(name) for name in data]
        return reasons[0] if reasons and all(reasons) else None

    def left_out(self, targets: Iterable[str] | None = None) -> list[str]:
        """A line for each reason for which tables and figures cannot be made here.

        They are those of the chosen papers, if none are given.
        """
        reasons: dict[str, list[str]] = {}
        named, papers = self.experiments.tables | self.experiments.figures, self.experiments.papers
        if targets is None:
            targets = [target for target, (paper, _) in named.items() if paper in papers]
        for target in targets:
            if reason := self.missing(target):
                reasons.setdefault(reason, []).append(target)
        return [f"Left out: {', '.join(targets)}: {reason}." for reason, targets in reasons.items()]

    def _check_known(self, target: str) -> None:
        """Refuse a target of data that nobody knows, before a file of an earlier run is removed."""
        data = [cell.data for cell in self.cells(target).values()]
        known = any(variants.parts(name)[0] in self.datasets.registry for name in data)
        if data and not known and (reason := self.missing(target)):
            raise UserError(f"{target}: nothing of it can be built: {reason}")

    # ---- Scores --------------------------------------------------------------------------------

    def folder(self, paper: str, cell: Cell) -> str:
        """Folder of the scores of a cell, a file a seed."""
        return self.files.run(cell.kind, paper, cell.data, cell.setting, cell.job)

    def scores(self, paper: str, cells: Iterable[Cell], seeds: Iterable[int] = ()) -> list[str]:
        """Files of the scores of cells."""
        files = [
            f"{self.folder(paper, cell)}/seed{seed}.csv"
            for cell in cells
            if not cell.skipped
            for seed in list(seeds) or self.experiments.seeds(paper, cell.kind, cell.setting)
        ]
        return list(dict.fromkeys(files))

    def layout(self, paper: str, cells: Mapping[tuple[str, str], Cell]) -> str:
        """Cells as commands read them: JSON."""
        return as_json(self.layout_of(paper, cells))

    def layout_of(self, paper: str, cells: Mapping[tuple[str, str], Cell]) -> list[CellSource]:
        """Where the scores of cells lie."""
        return [
            CellSource(
                row=row,
                column=column,
                folder=self.folder(paper, cell),
                method=cell.method.name,
                skipped=cell.skipped,
                unlike=cell.unlike,
            )
            for (row, column), cell in cells.items()
        ]

    # ---- Studies -------------------------------------------------------------------------------

    def study(self, target: str) -> tuple[dict[str, Any], Any] | None:
        """What a table or figure says of its study, and the study; ``None`` if it has none."""
        paper, name, spec = self.entry(target)
        if not spec.study:
            return None
        where = f"{paper.folder}: {name}: study"
        return spec.study, plugins.make("studies", spec.study, "STUDY", where)

    def study_job(self, study: str) -> Job:
        """Run the study of a table or figure, which needs no data."""
        content, made = self.study(study) or ({}, None)
        named = [("studies", content["kind"], "STUDY"), *plugins.named(made)]
        words = ["--study", json.dumps(content, separators=(",", ":")), "--seeds"]
        words += map(str, self.experiments.how_much.seeds)
        return Job("scripts/study.py", tuple(words), code=digest("scripts/study.py", named))

    # ---- Tables --------------------------------------------------------------------------------

    def table(self, table: str, there: Callable[[str], bool] | None = None) -> Job:
        """Make a table; with ``there`` of the scores for which it is true alone."""
        paper, name, spec = self.entry(table)
        words = ["--tables", f"{paper.folder}/tables.yaml", "--name", name]
        if spec.study:
            scores = [self.files.study(table)]
        else:
            self._check_known(table)
            scores = self.scores(paper.name, self.cells(table).values())
            cells = self.labelled(paper, spec, table)
            if there is not None:
                scores = [file for file in scores if there(file)]
                cells = {place: self._waiting(paper, cell, scores) for place, cell in cells.items()}
            words += ["--layout", self.layout(paper.name, cells)]
            words += ["--names", json.dumps(self._names(paper, table), ensure_ascii=False)]
            labels = {label for place in cells for label in place}
            trivial = [label for label in paper.about.trivial if label in labels]
            words += ["--trivial", *trivial] if trivial else []
            words += ["--own", as_json(self.comparison(table))] if paper.about.is_own else []
        differences = paper.scale.differences
        words += ["--differences", *differences] if differences else []
        published = paper.folder / "published" / f"{name}.yaml"
        named = [("metrics", one, "METRIC") for one in spec.metrics or ("costs",)]
        if paper.about.is_own:
            named += [(notes.FOLDER, note, notes.DEFINES) for note in notes.names()]
        script = "scripts/make_table.py"
        return Job(
            script,
            tuple(words),
            {
                "scores": tuple(scores),
                "published": (str(published),) if published.exists() else (),
            },
            digest(script, named),
            params={"spec": str(spec)},
        )

    def _waiting(self, paper: Paper, cell: Cell, scores: Container[str]) -> Cell:
        """Return a cell that is left out, if it has none of some scores."""
        if any(file in scores for file in self.scores(paper.name, [cell])):
            return cell
        return replace(cell, skipped=cell.skipped or WAITING)

    def _names(self, paper: Paper, target: str) -> dict[str, dict[str, str]]:
        """What the paper calls its data, and what the datasets of a table are."""
        registry = self.datasets.registry
        data = dict.fromkeys(variants.parts(name)[0] for name in self.datasets_of(target))
        titles = {name: registry[name].title for name in data if name in registry}
        return {"of_roles": paper.about.names_of_data, "titles": titles}

    def labelled(self, paper: Paper, spec: TableSpec, target: str) -> dict[tuple[str, str], Cell]:
        """Cells of a table; where data is a user's own, the labels of settings say so.

        So no published value is found for it, either: it has another label.
        """
        labelled = {}
        for (row, column), cell in self.cells(target).items():
            if self.stands_in(cell):
                data = (cell.role, cell.data)
                rows = spec.rows_are == "settings"
                row = paper.about.with_data(row, *data) if rows else row
                column = column if rows else paper.about.with_data(column, *data)
            labelled[row, column] = cell
        return labelled

    # ---- Figures -------------------------------------------------------------------------------

    def figure(self, figure: str) -> Job:
        """Draw a figure."""
        paper, name, spec = self.entry(figure)
        self._check_known(figure)
        words = ["--figures", f"{paper.folder}/figures.yaml", "--name", name]
        words += ["--layout", self.layout(paper.name, self.cells(figure))]
        placed = looks.places(one.options.legend() for one in paper.figures.values())
        for option, value in (("--looks", placed), ("--names", paper.about.names_of_data)):
            words += [option, json.dumps(value, ensure_ascii=False)] if value else []
        study = [self.files.study(figure)] if spec.study else []
        named = [("metrics", metric, "METRIC") for metric in spec.options.metrics]
        script = "scripts/make_figure.py"
        return Job(
            script,
            tuple(words),
            {
                "scores": tuple(self.scores(paper.name, self.cells(figure).values())),
                "files": tuple(study or self._figure_inputs(figure).files),
            },
            digest(script, [("figures", spec.kind, "FIGURE"), *named]),
            params={"spec": str(spec), "data": ", ".join(self.datasets_of(figure))},
        )

    def _figure_inputs(self, target: str) -> FigureInputs:
        """Files that a figure asks for beside scores, and the datasets that they are of."""
        if target not in self._inputs:
            paper, _, spec = self.entry(target)
            inputs = FigureInputs(self.experiments, paper.name, self.missing, self.datasets_of)
            inputs.files = inputs.there(list(spec.options.inputs(inputs)))
            self._inputs[target] = inputs
        return self._inputs[target]
