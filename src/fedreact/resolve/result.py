"""The jobs that write pages of results on a user's own data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fedreact import options
from fedreact.data import own
from fedreact.notes import contract as notes
from fedreact.reading import as_json, read_yaml
from fedreact.resolve.benchmark import card
from fedreact.resolve.cells import Cell
from fedreact.resolve.code import digest
from fedreact.resolve.entries import TableSpec
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.job import Job
from fedreact.resolve.outputs import Outputs
from fedreact.resolve.papers import Paper
from fedreact.result.sources import CardSource, ResultSource, SettingSource, TableSource

SCRIPT = "scripts/make_result.py"
SHOWN = ("split", "test_share")
"""Options of partitions that a page shows whatever they are."""


class ResultPages:
    """Pages of the folders of ``config/papers`` that are about a user's own data."""

    def __init__(self, experiments: Experiments, outputs: Outputs):
        self.experiments, self.outputs = experiments, outputs
        self.settings, self.files = experiments.settings, experiments.files

    def papers(self) -> list[str]:
        """Papers that have a page: those with a table that compares methods."""
        named = {paper for paper, _ in self.experiments.tables.values()}
        own = [name for name in named if self.settings.paper(name).about.is_own]
        return sorted(name for name in own if self._tables(name))

    def _tables(self, paper: str) -> list[str]:
        """Tables of a paper that compare methods, and can be made here."""
        named = self.experiments.tables
        return [
            target
            for target in self.outputs.chosen(named, [paper])
            if _compares(self.outputs.entry(target)[2])
        ]

    def job(self, paper: str) -> Job:
        """Write the page of a paper."""
        content = self.settings.paper(paper)
        tables = [self._table(target, content) for target in self._tables(paper)]
        source = ResultSource(
            name=paper,
            title=content.about.title,
            scale=self.experiments.scale,
            command=f"snakemake --cores all {paper}_page --config scale={self.experiments.scale}",
            tables=tables,
            methods=self._methods(paper),
            differences=content.scale.all_differences,
            left_out=self.outputs.left_out(
                [target for target, (owner, _) in self.experiments.tables.items() if owner == paper]
            ),
        )
        settings = [setting for table in tables for setting in table.settings]
        named = [("metrics", name, "METRIC") for table in tables for name in table.metrics]
        named += [(notes.FOLDER, name, notes.DEFINES) for name in notes.names()]
        inputs = {
            "scores": [file for table in tables for file in table.scores],
            "data": [setting.data for setting in settings],
            "partitions": [setting.partition for setting in settings],
        }
        return Job(
            SCRIPT,
            ("--sources", as_json(source)),
            {name: tuple(dict.fromkeys(files)) for name, files in inputs.items()},
            digest(SCRIPT, dict.fromkeys(named)),
        )

    # ---- One table ------------------------------------------------------------------------------

    def _table(self, target: str, paper: Paper) -> TableSource:
        _, _, spec = self.outputs.entry(target)
        cells = self.outputs.labelled(paper, spec, target)
        axis = 1 if spec.rows_are == "methods" else 0
        settings: dict[str, list[Cell]] = {}
        kinds: dict[str, str] = {}
        for labels, cell in cells.items():
            kinds.setdefault(labels[1 - axis], cell.kind)
            if not cell.skipped:
                settings.setdefault(labels[axis], []).append(cell)
        return TableSource(
            name=target,
            title=spec.title,
            metrics=spec.metrics,
            last=spec.score == "last",
            methods_are="row" if spec.rows_are == "methods" else "column",
            reference=spec.reference,
            trivial=paper.about.trivial,
            layout=self.outputs.layout_of(paper.name, cells),
            scores=self.outputs.scores(paper.name, cells.values()),
            compared=self.outputs.comparison(target),
            settings=[self._setting(paper.name, *item) for item in settings.items()],
            kinds=kinds,
        )

    def _setting(self, paper: str, label: str, cells: list[Cell]) -> SettingSource:
        """Describe a setting by the runs of its cells."""
        runs_of: dict[str, str] = {}
        rounds: dict[str, tuple[int, str]] = {}
        steps: dict[str, int] = {}
        for cell in cells:
            if cell.kind in runs_of:
                continue
            base, changes = self.settings.parsed(paper, cell.kind, cell.setting)
            made = self.settings.run(paper, cell.kind, base, changes)
            runs_of[cell.kind] = in_words(options.changed(made)) or "all options at their defaults"
            number = getattr(made, "rounds", None)
            if number is not None:
                layers = self.settings.run_layers(paper, cell.kind, base)
                place = layers.located(made)["rounds"].location
                rounds[cell.kind] = (number, str(place or "its default"))
                if (in_round := getattr(made, "steps", None)) is not None:
                    steps[cell.kind] = number * in_round
        first = cells[0]
        base, changes = self.settings.parsed(paper, first.kind, first.setting)
        owner, partition = self.settings.partition_of(paper, base, changes)
        spec, partitioner = self.settings.partition(owner, partition)
        dealt = options.changed(partitioner)
        dealt |= {k: v for k, v in options.vars_of(partitioner).items() if k in SHOWN}
        if dealt.get("split") == "source":
            dealt.pop("test_share", None)
        seed = self.experiments.seeds(paper, first.kind, first.setting)[0]
        recipe = imported(Path(self.experiments.config.data_folder), first.data)
        return SettingSource(
            label=label,
            data=self.files.dataset(first.data),
            partition=self.files.partition(owner, first.data, partition, seed),
            data_name=first.data,
            dealt=f"by {spec.by}; {in_words(dealt)}",
            imported=in_words(recipe.get("options") or {}),
            import_notes=recipe.get("notes") or [],
            runs=runs_of,
            rounds=rounds,
            steps=steps,
        )

    def _methods(self, paper: str) -> dict[str, CardSource]:
        """Return the methods of all tables by their labels."""
        methods: dict[str, CardSource] = {}
        for target in self._tables(paper):
            axis = 0 if self.outputs.entry(target)[2].rows_are == "methods" else 1
            for labels, cell in self.outputs.cells(target).items():
                if labels[axis] not in methods and not cell.skipped:
                    known = card(cell)
                    set_ = {**cell.method.of_run, **cell.method.options}
                    chosen = {name: options.text_of(value) for name, value in set_.items()}
                    cite = known.citation or self._origin(target, labels[axis], cell)
                    methods[labels[axis]] = CardSource(
                        known.file, known.kind, known.words, cite, chosen
                    )
        return methods

    def _origin(self, target: str, label: str, cell: Cell) -> str:
        """Cite the paper whose method a cell cites, if it is a federated one."""
        owner = self.settings.papers.get(cell.method.name.split(".")[0])
        if owner is None or owner.about.is_own or owner.about.benchmark:
            return ""
        federated = self.outputs.roles_of_methods(target)[label] == "federated"
        return f"{owner.about.title}. {owner.about.cite}" if federated else ""


def imported(data_folder: Path, name: str) -> dict[str, Any]:
    """Read the recipe of a user's import; empty if none lies beside the data."""
    recipe = own.path(data_folder, name).with_suffix(".import.yaml")
    content = read_yaml(recipe) if recipe.is_file() else {}
    return content if isinstance(content, dict) else {}


def _compares(spec: TableSpec) -> bool:
    """Whether a table has several methods on the same settings."""
    methods = spec.rows if spec.rows_are == "methods" else spec.columns
    return not spec.study and not spec.reaching and len(methods) > 1


def in_words(values: Mapping[str, Any]) -> str:
    """Write options for people: ``rounds 20, epochs 5``."""
    return ", ".join(
        f"{name.replace('_', ' ')} {options.text_of(value)}" for name, value in values.items()
    )
