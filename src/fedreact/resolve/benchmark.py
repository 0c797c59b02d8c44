"""The job that writes the benchmark's page."""

import ast
import re
from pathlib import Path
from textwrap import dedent

from fedreact import options, plugins
from fedreact.benchmark.sources import BenchmarkSource, CardSource, RegimeSource
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.metrics.grammar import load_metric
from fedreact.reading import as_json
from fedreact.resolve.cells import Cell
from fedreact.resolve.code import digest
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.outputs import Outputs
from fedreact.task import Task

SCRIPT = "scripts/make_benchmark.py"
TASKS = {
    "one label": Task("classification", 2, 1, 8),
    "several labels": Task("multi-label", 2, 1, 8),
    "a regression": Task("regression", 1, 1, 8),
}


class Benchmark:
    """The benchmark: tables of papers that have a part in it (``benchmark`` in ``paper.yaml``).

    One of them is the benchmark itself. Others say what they add, a method or data: their tables
    have the names of its tables, and stand beside them on the page.
    """

    def __init__(self, experiments: Experiments, outputs: Outputs):
        self.experiments, self.outputs = experiments, outputs

    @property
    def papers(self) -> list[str]:
        """Papers that it is made of, the benchmark itself first."""
        papers = self.experiments.settings.papers
        parts = {name: paper.about.benchmark for name, paper in papers.items()}
        adding = [(part.adds is not None, name) for name, part in parts.items() if part]
        return [name for _, name in sorted(adding)]

    def job(self) -> Job:
        """Write the page.

        Raises
        ------
        UserError
            No paper is a benchmark.
        """
        if not self.papers:
            raise UserError("config/papers: no paper.yaml has a part in the benchmark (benchmark)")
        main = self.experiments.settings.paper(self.papers[0])
        reference = main.about.benchmark.reference if main.about.benchmark else ""
        tables = self._tables()
        kept = self._kept(main.name)
        regimes, inputs = [], []
        for name, spec in main.tables.items():
            if spec.reference != reference:
                continue
            of_regime = [t for p in self.papers for t in tables if tables[t] == (p, name)]
            csvs = [self.experiments.files.table(target)[0] for target in of_regime]
            inputs += csvs
            metric, notes = spec.metrics[0], list(spec.notes)
            better = load_metric(metric).better or "higher"
            regimes.append(RegimeSource(name, spec.title, [*csvs, *kept], metric, better, notes))
        source = BenchmarkSource(
            scale=self.experiments.scale,
            reference=reference,
            regimes=regimes,
            cards=self._cards(),
            trivial=list(main.about.trivial),
            ceilings=list(main.about.pooled),
            differences=main.scale.all_differences,
        )
        files = {"tables": (*inputs, *kept)}
        return Job(SCRIPT, ("--sources", as_json(source)), files, digest(SCRIPT, []))

    def _kept(self, main: str) -> list[str]:
        """Return the kept tables of the benchmark itself, where the configuration asks for them."""
        if not self.experiments.config.benchmark_kept:
            return []
        path = Path("reference", self.experiments.scale, main, "tables.csv.gz")
        if not path.is_file():
            raise UserError(
                f"config: benchmark_kept: there is no {path}; leave it out, so that all is built"
            )
        return [str(path)]

    def _tables(self) -> dict[str, tuple[str, str]]:
        """Tables that are built for the page, by their targets."""
        tables, papers = self.experiments.tables, self.papers
        built = papers[1:] if self.experiments.config.benchmark_kept else papers
        return {t: tables[t] for t in (self.outputs.chosen(tables, built) if built else [])}

    def _cards(self) -> dict[str, CardSource]:
        """Cards of all methods, by their labels."""
        cards: dict[str, CardSource] = {}
        for target, (paper, _) in self.experiments.tables.items():
            if paper in self.papers:
                for (_, column), cell in self.outputs.cells(target).items():
                    if column not in cards:
                        cards[column] = card(cell)
        return cards


PUBLICATION = re.compile(r'(.*?\b(?:19|20)\d\d\b.*?"[^"]*"(?:[^.:;]|[.:;](?=\S))*)[.:;](?:\s|$)')
"""Authors, a year, a title in quotation marks, and where it was published, up to a full stop."""


def publication(file: str) -> str:
    """Return the publication that the docstring of a file names first; empty if it names none."""
    for paragraph in _paragraphs(file):
        if match := PUBLICATION.match(" ".join(paragraph.split())):
            return f"{match[1]}."
    return ""


def _paragraphs(file: str) -> list[str]:
    """Return the paragraphs of a file's docstring."""
    text = ast.get_docstring(ast.parse(Path(file).read_text(encoding="utf-8"))) or ""
    return text.split("\n\n")


def card(cell: Cell) -> CardSource:
    """Return what is known of the method of a cell."""
    plugin = (f"kinds/{cell.kind}/algorithms", cell.method.algorithm, "ALGORITHM")
    file = str(plugins.source_file(plugins.find(*plugin)))
    paragraphs = _paragraphs(file)
    chosen = {**cell.method.of_run, **cell.method.options}
    return CardSource(
        file=file,
        kind=cell.kind,
        words=" ".join(paragraphs[0].split()),
        citation=publication(file),
        equations="\n\n".join(dedent(p) for p in paragraphs[1:] if p.startswith("    ")),
        options={key: options.shown(value) for key, value in chosen.items()},
        tasks=[
            name
            for name, task in TASKS.items()
            if not runs.skipped(cell.kind, cell.method.algorithm, task)
        ],
    )
