"""Which runs, of which methods, tables, figures, searches and the ledger ask for."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fedreact import options, plugins
from fedreact.errors import UserError
from fedreact.metrics.contract import PRIMARY
from fedreact.metrics.grammar import load_metric
from fedreact.runs import contract as runs
from fedreact.workflow import variants
from fedreact.workflow.once import once
from fedreact.workflow.papers import Paper
from fedreact.workflow.scales import GIVEN_ENCODER, PARTITIONERS
from fedreact.workflow.searches import Searches
from fedreact.workflow.steps import Steps


@dataclass(frozen=True)
class Cell:
    """What a cell of a table or a curve of a figure stands for.

    Attributes
    ----------
    kind, data, setting, job
        Kind of run, dataset, name of the setting with its changes, and name of the job that runs
        it.
    method
        With its options.
    skipped
        Why the method cannot run there, or its data cannot be had; ``None`` if it can.
    unlike
        What the scale does otherwise than the paper in runs of this kind on this setting, beside
        what it does in all.
    role
        What its data stands for; its own name if for nothing else.
    """

    kind: str
    data: str
    setting: str
    job: str
    method: runs.Method
    skipped: str | None = None
    unlike: tuple[str, ...] = ()
    role: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Its job's key in :meth:`Cells.jobs`."""
        return self.kind, self.data, self.setting, self.job


@dataclass
class Job:
    """Methods that one job runs, and the metrics that are asked for."""

    methods: dict[str, runs.Method] = field(default_factory=dict)
    metrics: dict[str, None] = field(default_factory=dict)


class Cells:
    """What a paper's tables, figures, searches and ledger need.

    Parameters
    ----------
    steps
        All papers' steps.
    paper
        The one whose outputs these are.
    """

    def __init__(self, steps: Steps, paper: Paper):
        self.steps, self.paper = steps, paper
        self._cells: dict[str, Cell] = {}
        self._jobs: dict[tuple, Job] = {}
        self._seen: dict[tuple, Any] = {}
        self.searches = Searches(self)

    def where(self, file: str, name: str) -> str:
        """File and key, for errors."""
        return f"{self.paper.folder}/{file}.yaml: {name}"

    # ---- Cells ---------------------------------------------------------------------------------

    @once
    def table(self, name: str) -> dict[tuple[str, str], Cell]:
        """Cells of a table by the labels of row and column, row by row."""
        where = self.where("tables", name)
        asked = self.paper.tables[name].asked(where)
        cells = {
            place: self.cell(one, f"{where}: {', '.join(place)}") for place, one in asked.items()
        }
        why = self.paper.scale.tables_left_out.get(name)
        return {at: replace(cell, skipped=cell.skipped or why) for at, cell in cells.items()}

    @once
    def figure(self, name: str) -> dict[tuple[str, str], Cell]:
        """Cells of a figure that is made of scores, by the labels of panel and curve."""
        where = self.where("figures", name)
        asked = self.paper.figures[name].options.cells()
        return {place: self.cell(of, f"{where}: {', '.join(place)}") for place, of in asked.items()}

    def cell(self, asked: Mapping[str, Any], where: str) -> Cell:
        """What ``{setting: ..., method: ..., tuned: ..., <change>: ...}`` stands for."""
        key = str(sorted(asked.items(), key=str))
        if key not in self._cells:
            for mark in ("setting", "method"):
                if not isinstance(asked.get(mark), str):
                    raise UserError(f"{where}: there is no {mark}")
            try:
                self._cells[key] = self._cell(asked)
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
        return self._cells[key]

    def _cell(self, asked):
        changes = {k: v for k, v in asked.items() if k not in variants.MARKS}
        kind, method = self.method(asked["method"])
        setting, spec = asked["setting"], runs.part_of(kind, "spec")
        of_run = self.steps.run(self.paper.name, kind, setting, changes)
        if "options" in asked:
            method = variants.of_algorithm(kind, method, asked["options"])
        if asked.get("tuned"):
            better = self.paper.scale.tuned.get(spec.job(method, of_run), {})
            method = variants.of_method(kind, method, variants.different(better, method, of_run))
        cell = self.of(kind, setting, changes, method, of_run)
        owner, own = self.steps.cited(self.paper.name, "settings", setting)
        names = own, cell.setting
        reason = owner.scale.reason_to_leave_out(names, kind, bool(asked.get("tuned")))
        return replace(cell, skipped=cell.skipped or reason)

    def of(
        self,
        kind: str,
        setting: str,
        changes: Mapping[str, Any],
        method: runs.Method,
        of_run: Any,
        job: str = "",
    ) -> Cell:
        """A cell of a method whose run has these options; ``job`` precedes its job's name."""
        name = self.steps.canonical(self.paper.name, kind, setting, changes)
        data = self.steps.dataset(*self.steps.partition_of(self.paper.name, setting, changes))
        data = self.steps.sources.varied(data, variants.split(changes)["data"])
        method = replace(method, of_run=variants.different(method.of_run, None, of_run))
        job += runs.part_of(kind, "spec").job(method, of_run)
        owner, own = self.steps.cited(self.paper.name, "settings", setting)
        sources = self.steps.sources
        skipped = sources.missing(data) or runs.skipped(kind, method.algorithm, sources.task(data))
        role = self.steps.partition(owner.name, owner.settings[own].partition)[0].data
        unlike = owner.scale.unlike_of(own, role, kind)
        if "features" in runs.part_of(kind, "spec").NEEDS:
            *_, seed = self.steps.encoder_of(self.paper.name, setting, changes)
            unlike += () if seed is None else (GIVEN_ENCODER,)
        return Cell(kind, data, name, job, method, skipped, unlike, role)

    def method(self, name: str) -> tuple[str, runs.Method]:
        """Kind of run of a method of this paper or a cited one, and what it stands for."""
        owner, own = self.steps.cited(self.paper.name, "methods", name)
        kind, method = owner.methods[own]
        return kind, method if owner is self.paper else replace(method, name=f"{owner.name}.{own}")

    # ---- Jobs ----------------------------------------------------------------------------------

    def jobs(self) -> dict[tuple[str, str, str, str], Job]:
        """Jobs by kind of run, dataset, name of the setting and name of the job."""
        if not self._jobs:
            for name, spec in self.paper.tables.items():
                self._ask(self.table(name).values(), spec.metrics)
            for name, spec in self.paper.figures.items():
                self._ask(self.figure(name).values(), spec.options.metrics)
            self._of_ledger()
            order = {name: i for i, name in enumerate(self.paper.methods)}
            for job in self._jobs.values():
                names = sorted(job.methods, key=lambda m: order.get(m.split("+")[0], len(order)))
                job.methods = {name: job.methods[name] for name in names}
            for name, spec in self.paper.searches.items():
                self._ask(self.searches.compared(name), (spec.metric,))
        return self._jobs

    def _ask(self, cells, metrics):
        for cell in cells:
            if cell.skipped:
                continue
            job = self._jobs.setdefault(cell.key, Job())
            job.methods.setdefault(cell.method.name, cell.method)
            kind = self.steps.sources.task(cell.data).kind
            for metric in (PRIMARY[kind], *metrics):
                found = load_metric(metric)
                if found.samples is not None and kind in found.kinds:
                    job.metrics.setdefault(metric)

    # ---- Ledger -------------------------------------------------------------------

    def alternatives(self, entry: str) -> list[tuple[str, Any, str]]:
        """Setting, alternative and changed option of each alternative that is measured."""
        given = self.paper.ledger[entry]
        step, _, option = given.set_in.partition(".")
        if step in runs.kinds():
            key = option
        elif step in plugins.names(PARTITIONERS, "PARTITIONER"):
            key = f"partition.{option}"
        else:
            key = given.set_in
        return [
            (setting, value, key) for setting in given.measured_on for value in given.alternatives
        ]

    def check(self) -> None:
        """Check that all that is asked for can be run."""
        for entry in self.paper.ledger:
            self._check_entry(entry)
        self.jobs()

    def _check_entry(self, entry):
        """Refuse an entry of the ledger whose alternatives cannot be run."""
        where, given = self.where("ledger", entry), self.paper.ledger[entry]
        if given.measured_on and "/" in given.set_in:
            raise UserError(f"{where}: alternatives to {given.set_in}, a file, cannot be run")
        for setting, value, key in self.alternatives(entry):
            self.steps.cited(self.paper.name, "settings", setting, where)
            try:
                found = [self.changed(kind, setting, key, value) for kind in runs.kinds()]
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
            if "encoder_from" not in key and not any(found):
                raise UserError(f"{where}: alternatives of {key} cannot be run, or change nothing")

    def changed(self, kind: str, setting: str, key: str, value: Any) -> str | None:
        """Name of a setting's run with a change; ``None`` if it is none of this kind of run's."""
        spec = runs.part_of(kind, "spec")
        if "." not in key and key != "encoder_from" and key not in options.names(spec.Options):
            return None
        found = self.steps.canonical(self.paper.name, kind, setting, {key: value})
        return None if found == setting else found

    def _of_ledger(self):
        """Alternatives are run with all methods that tables and figures show of their setting."""
        taken = dict(self._jobs)
        for name in self.paper.ledger:
            for setting, value, key in self.alternatives(name):
                for (kind, data, of, job), asked in taken.items():
                    other = self.changed(kind, setting, key, value) if of == setting else None
                    if other and other not in self.paper.scale.left_out:
                        # A table may show the alternative, too, of some of the methods.
                        there = self._jobs.setdefault((kind, data, other, job), Job())
                        there.methods = {**asked.methods, **there.methods}
                        there.metrics = {**asked.metrics, **there.metrics}
