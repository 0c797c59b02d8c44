"""What the rules of ``workflow/rules/outputs.smk`` ask."""

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.figures import looks
from fedreact.workflow import variants
from fedreact.workflow.ask import Asked
from fedreact.workflow.cells import Cell
from fedreact.workflow.code import digest

if TYPE_CHECKING:
    from fedreact.workflow.plan import Plan


class OutputSteps:
    """Tables, figures and the report, by the names of their targets."""

    def __init__(self, plan: "Plan"):
        self.plan = plan
        self._of: dict[tuple, Any] = {}

    def _spec(self, target):
        """Paper of a table or figure, and its entry there."""
        tables = target in self.plan.tables
        paper, name = (self.plan.tables if tables else self.plan.figures)[target]
        content = self.plan.steps.paper(paper)
        return content, name, (content.tables if tables else content.figures)[name]

    def cells(self, target: str) -> dict[tuple[str, str], Cell]:
        """Cells of a table or figure by the labels of row and column, or panel and curve."""
        key = ("cells", target)
        if key not in self._of:
            paper, name, _ = self._spec(target)
            of = self.plan.cells(paper.name)
            self._of[key] = of.table(name) if target in self.plan.tables else of.figure(name)
        return self._of[key]

    def folder(self, paper: str, cell: Cell) -> str:
        """Folder of the scores of a cell, a file a seed."""
        return self.plan.files.run(cell.kind, paper, cell.data, cell.setting, cell.job)

    def scores(self, paper: str, cells: Iterable[Cell], seeds: Iterable[int] = ()) -> list[str]:
        """Files of the scores of cells."""
        found = [
            f"{self.folder(paper, cell)}/seed{seed}.csv"
            for cell in cells
            if not cell.skipped
            for seed in list(seeds) or self.plan.seeds(paper, cell.kind)
        ]
        return list(dict.fromkeys(found))

    def layout(self, paper: str, cells: dict[tuple[str, str], Cell]) -> str:
        """Cells as commands take them: JSON."""
        lines = [
            [*place, self.folder(paper, cell), cell.method.name, cell.skipped, cell.unlike]
            for place, cell in cells.items()
        ]
        return json.dumps(lines, separators=(",", ":"), ensure_ascii=False)

    def datasets_of(self, target: str) -> list[str]:
        """Datasets that a table or figure shows."""
        found = [cell.data for cell in self.cells(target).values() if not cell.skipped]
        if target in self.plan.figures:
            found += self._asked(target)[1]
        return list(dict.fromkeys(found))

    def roles(self, target: str) -> set[str]:
        """What the data of a table or figure stands for, if it is made of scores."""
        return {cell.role for cell in self.cells(target).values()}

    def missing(self, target: str) -> str | None:
        """Why nothing of a table or figure can be made here; ``None`` if something can."""
        why = [cell.skipped for cell in self.cells(target).values()]
        if not why and target in self.plan.figures:
            why = [self.plan.sources.missing(name) for name in self._asked(target)[1]]
        return why[0] if why and all(why) else None

    def _known(self, target):
        """Refuse what is asked for of data that nobody knows, before a file of before is gone."""
        data, registry = [c.data for c in self.cells(target).values()], self.plan.sources.registry
        nobodys = data and not any(variants.parts(name)[0] in registry for name in data)
        if nobodys and (why := self.missing(target)):
            raise UserError(f"{target}: nothing of it can be built: {why}")

    def datasets_shown(self, asked: Iterable[str] = ()) -> list[str]:
        """Datasets of tables and figures, of those of the chosen papers if none are given."""
        named = self.plan.tables | self.plan.figures
        targets = [target for target in asked if target in named] or self.plan.chosen(named)
        found = [data for target in targets for data in self.datasets_of(target)]
        return list(dict.fromkeys(found))

    def study(self, target: str) -> tuple[dict[str, Any], Any] | None:
        """What a table or figure says of its study, and the study; ``None`` if it has none."""
        paper, name, spec = self._spec(target)
        if not spec.study:
            return None
        where = f"{paper.folder}: {name}: study"
        return spec.study, plugins.make("studies", spec.study, "STUDY", where)

    # ---- Tables --------------------------------------------------------------------------------

    def table_inputs(self, target: str) -> list[str]:
        """Files that a table is made of."""
        paper, _, spec = self._spec(target)
        if spec.study:
            return [self.plan.files.study(target)]
        self._known(target)
        return self.scores(paper.name, self.cells(target).values())

    def published(self, target: str) -> list[str]:
        """File of a table's published values, if there are any."""
        paper, name, _ = self._spec(target)
        path = paper.folder / "published" / f"{name}.yaml"
        return [str(path)] if path.exists() else []

    def table_words(self, target: str) -> list[str]:
        """Options of ``scripts/make_table.py``."""
        paper, name, spec = self._spec(target)
        found = ["--tables", f"{paper.folder}/tables.yaml", "--name", name]
        if not spec.study:
            found += ["--layout", self.layout(paper.name, self._labelled(paper, spec, target))]
            found += ["--names", json.dumps(self._names(paper, target), ensure_ascii=False)]
        differences = paper.scale.differences
        return found + (["--differences", *differences] if differences else [])

    def _names(self, paper, target):
        """What the paper calls its data, and what the datasets of a table are."""
        registry = self.plan.sources.registry
        data = dict.fromkeys(variants.parts(name)[0] for name in self.datasets_of(target))
        titles = {name: registry[name].title for name in data if name in registry}
        return {"of_roles": paper.about.names_of_data, "titles": titles}

    def stands_in(self, cell: Cell) -> bool:
        """Whether its data is a user's own in place of the paper's."""
        sources = self.plan.sources
        return sources.is_own(cell.data) and cell.role in sources.roles

    def _labelled(self, paper, spec, target):
        """Cells of a table; where data is a user's own, the labels of settings say so.

        So no published value is found for it, either: it has another label.
        """
        found = {}
        for (row, column), cell in self.cells(target).items():
            if self.stands_in(cell):
                of = (cell.role, cell.data)
                rows = spec.rows_are == "settings"
                row = paper.about.with_data(row, *of) if rows else row
                column = column if rows else paper.about.with_data(column, *of)
            found[row, column] = cell
        return found

    def table_spec(self, target: str) -> str:
        """What a table's entry says."""
        return str(self._spec(target)[2])

    def table_code(self, target: str) -> str:
        """Digest of the code that makes a table."""
        metrics = self._spec(target)[2].metrics or ("costs",)
        return digest("scripts/make_table.py", [("metrics", m, "METRIC") for m in metrics])

    # ---- Figures -------------------------------------------------------------------------------

    def figure_scores(self, target: str) -> list[str]:
        """Scores that a figure is made of."""
        self._known(target)
        return self.scores(self._spec(target)[0].name, self.cells(target).values())

    def figure_files(self, target: str) -> list[str]:
        """What else it is made of."""
        if self._spec(target)[2].study:
            return [self.plan.files.study(target)]
        return self._asked(target)[0]

    def _asked(self, target):
        """Files that a figure asks for, and the datasets that they are of."""
        key = ("asked", target)
        if key not in self._of:
            paper, _, spec = self._spec(target)
            ask = Asked(self.plan, paper.name)
            self._of[key] = ask.there(list(spec.options.inputs(ask))), ask.data
        return self._of[key]

    def figure_words(self, target: str) -> list[str]:
        """Options of ``scripts/make_figure.py``."""
        paper, name, _ = self._spec(target)
        found = ["--figures", f"{paper.folder}/figures.yaml", "--name", name]
        found += ["--layout", self.layout(paper.name, self.cells(target))]
        placed = looks.places(one.options.legend() for one in paper.figures.values())
        for option, given in (("--looks", placed), ("--names", paper.about.names_of_data)):
            if given:
                found += [option, json.dumps(given, ensure_ascii=False)]
        return found

    def figure_spec(self, target: str) -> str:
        """What a figure's entry says."""
        return str(self._spec(target)[2])

    def figure_code(self, target: str) -> str:
        """Digest of the code that draws a figure."""
        spec = self._spec(target)[2]
        named = [("metrics", m, "METRIC") for m in spec.options.metrics]
        return digest("scripts/make_figure.py", [("figures", spec.kind, "FIGURE"), *named])
