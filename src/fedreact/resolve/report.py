"""The job that writes the report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fedreact import plugins
from fedreact.data import own
from fedreact.metrics.contract import COMPARED
from fedreact.provenance import sha256
from fedreact.reading import as_json
from fedreact.report.sources import (
    ClaimsSource,
    DatasetSource,
    EffectsSource,
    FigureSource,
    MethodSource,
    PaperSource,
    ReportSource,
    TableSource,
)
from fedreact.resolve.claims import Claims
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.outputs import Outputs
from fedreact.resolve.papers import Paper
from fedreact.resolve.result import ResultPages
from fedreact.tables.files import ORIGINS

SCRIPT = "scripts/make_report.py"


class Report:
    """The report: all tables, figures, claims and ledgers of the chosen papers."""

    def __init__(
        self, experiments: Experiments, outputs: Outputs, claims: Claims, pages: ResultPages
    ):
        self.experiments, self.outputs, self.claims = experiments, outputs, claims
        self.pages = pages
        self.settings, self.files = experiments.settings, experiments.files

    def job(self) -> Job:
        """Write the report."""
        papers = self.experiments.papers
        tables, figures = (
            self.outputs.chosen(named)
            for named in (self.experiments.tables, self.experiments.figures)
        )
        source = ReportSource(
            scale=self.experiments.scale,
            about=self.experiments.how_much.about,
            papers=[self._paper(name) for name in papers],
            datasets=self._datasets(),
        )
        csv = [self.files.table(name)[0] for name in tables]
        folders = [self.settings.paper(name).folder for name in papers]
        entries = [folder / f"{what}.yaml" for folder in folders for what in ("ledger", "claims")]
        judged = [name for name in papers if name in self.claims.papers()]
        return Job(
            SCRIPT,
            ("--sources", as_json(source)),
            {
                "tables": (*csv, *(str(Path(path).with_suffix(ORIGINS)) for path in csv)),
                "tex": tuple(self.files.table(name)[1] for name in tables),
                "figures": tuple(self.files.figure(name)[1] for name in figures),
                "claims": tuple(self.files.claims(judged)),
                "entries": tuple(str(path) for path in entries if path.exists()),
            },
            self._code(tables),
        )

    def _code(self, tables: Sequence[str]) -> str:
        """Digest of the code that writes the report."""
        metrics = {
            metric
            for name in tables
            for metric in self.outputs.entry(name)[2].metrics or ("costs",)
        }
        named = sorted({*metrics, *COMPARED})
        return digest(SCRIPT, [("metrics", one, "METRIC") for one in named])

    # ---- One paper ------------------------------------------------------------------------------

    def _paper(self, name: str) -> PaperSource:
        paper = self.settings.paper(name)
        named = (self.experiments.tables, self.experiments.figures)
        tables, figures = (self.outputs.chosen(targets, [name]) for targets in named)
        ledger, effects = (
            paper.folder / "ledger.yaml",
            Path(self.files.summary("assumptions", name)[0]),
        )
        return PaperSource(
            name=name,
            title=paper.about.title,
            called=paper.about.short or paper.about.title.split(":")[0],
            cite=paper.about.cite,
            margins=paper.about.margins,
            differences=paper.scale.all_differences,
            data=self._data(paper, [*tables, *figures]),
            left_out=self._left_out(name),
            tables=[self._table(target) for target in tables],
            figures=[self._figure(target) for target in figures],
            methods=self._methods(tables),
            ledger=str(ledger) if ledger.exists() else None,
            # Measured when it is asked for: no part of all, so no input either.
            effects=EffectsSource(str(effects), sha256(effects)) if effects.is_file() else None,
            claims=self._claims(paper),
            own=paper.about.is_own,
            page=Path(self.files.page(name)).name if name in self.pages.papers() else "",
        )

    def _claims(self, paper: Paper) -> ClaimsSource | None:
        if paper.name not in self.claims.papers():
            return None
        (csv,) = self.files.claims([paper.name])
        return ClaimsSource(csv=csv, yaml=f"{paper.folder}/claims.yaml")

    def _table(self, target: str) -> TableSource:
        paper, short, spec = self.outputs.entry(target)
        methods: Literal["row", "column"] | None = "row" if spec.rows_are == "methods" else "column"
        if spec.study or len(spec.rows if methods == "row" else spec.columns) < 2:
            methods = None
        return TableSource(
            name=target,
            short=short,
            csv=self.files.table(target)[0],
            title=spec.title,
            methods=methods,
            names=paper.about.names_of_data,
        )

    def _figure(self, target: str) -> FigureSource:
        _, short, spec = self.outputs.entry(target)
        places = self.outputs.cells(target)
        panels, curves = (list(dict.fromkeys(p[i] for p in places if p[i])) for i in (0, 1))
        return FigureSource(
            name=target,
            short=short,
            png=self.files.figure(target)[1],
            title=spec.title,
            panels=panels,
            curves=curves,
        )

    def _methods(self, tables: Sequence[str]) -> dict[str, MethodSource]:
        """Return the methods of tables by their labels."""
        methods: dict[str, MethodSource] = {}
        for target in tables:
            spec = self.outputs.entry(target)[2]
            for (row, column), cell in self.outputs.cells(target).items():
                label = row if spec.rows_are == "methods" else column
                plugin = (f"kinds/{cell.kind}/algorithms", cell.method.algorithm, "ALGORITHM")
                if label not in methods:
                    options = {**cell.method.of_run, **cell.method.options}
                    file = str(plugins.source_file(plugins.find(*plugin)))
                    methods[label] = MethodSource(file, options)
        return methods

    def _data(self, paper: Paper, targets: Sequence[str]) -> dict[str, str]:
        """Return the paper's name of the role of each dataset, by dataset."""
        names: dict[str, str] = {}
        for target in targets:
            for cell in self.outputs.cells(target).values():
                if not (cell.skipped or cell.role == cell.data in names):
                    known = paper.about.names_of_data.get(cell.role, cell.role)
                    names.setdefault(cell.data, known)
        return names

    def _left_out(self, name: str) -> list[str]:
        """Sentences on tables and figures of a paper that cannot be made here."""
        why: dict[str, list[str]] = {}
        for target, (paper, _) in (self.experiments.tables | self.experiments.figures).items():
            if paper == name and (reason := self.outputs.missing(target)):
                why.setdefault(reason, []).append(self.outputs.entry(target)[2].title)
        return [f"{'; '.join(titles)}: {reason}." for reason, titles in why.items()]

    def _datasets(self) -> dict[str, DatasetSource]:
        """Return each dataset that the report shows."""
        sources = {}
        for name in self.outputs.datasets_shown():
            datasets, base = self.experiments.datasets, name.split("+")[0]
            entry = datasets.registry.get(base)
            if entry is None and not datasets.missing(name):
                file = own.path(datasets.data_folder, base)
                sources[name] = DatasetSource(f"Your own data, {file}", "", "", "")
            if entry and not datasets.missing(name):
                sources[name] = DatasetSource(
                    title=entry.title,
                    citation=entry.citation or "",
                    licence=entry.licence,
                    page=entry.page or "",
                )
        return sources
