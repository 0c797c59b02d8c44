"""Which runs, of which methods, tables, figures, searches and the ledger of a paper ask for."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fedreact import options, plugins
from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.metrics.contract import PRIMARY
from fedreact.metrics.grammar import load_metric
from fedreact.resolve.cells import Cell, Cells
from fedreact.resolve.scales import PARTITIONERS
from fedreact.resolve.searches import Searches


@dataclass
class Group:
    """Methods that one job runs, and the metrics that are asked for."""

    methods: dict[str, runs.Method] = field(default_factory=dict)
    metrics: dict[str, None] = field(default_factory=dict)


class Workload:
    """Runs that a paper asks for.

    Parameters
    ----------
    cells, searches
        Cells of its tables and figures, and its searches.
    """

    def __init__(self, cells: Cells, searches: Searches):
        self.cells, self.searches = cells, searches
        self.settings, self.paper = cells.settings, cells.paper
        self._jobs: dict[tuple[str, str, str, str], Group] = {}

    # ---- Jobs ----------------------------------------------------------------------------------

    def jobs(self) -> dict[tuple[str, str, str, str], Group]:
        """Jobs by kind of run, dataset, name of the setting and name of the job."""
        if not self._jobs:
            for name, table in self.paper.tables.items():
                self._ask(self.cells.table(name).values(), table.metrics)
            for name, figure in self.paper.figures.items():
                self._ask(self.cells.figure(name).values(), figure.options.metrics)
            self._of_ledger()
            order = {name: i for i, name in enumerate(self.paper.methods)}
            for job in self._jobs.values():
                names = sorted(job.methods, key=lambda m: order.get(m.split("+")[0], len(order)))
                job.methods = {name: job.methods[name] for name in names}
            for name, search in self.paper.searches.items():
                self._ask(self.searches.compared(name).values(), (search.metric,))
        return self._jobs

    def _ask(self, cells: Iterable[Cell], metrics: Iterable[str]) -> None:
        for cell in cells:
            if cell.skipped:
                continue
            job = self._jobs.setdefault(cell.key, Group())
            job.methods.setdefault(cell.method.name, cell.method)
            kind = self.settings.datasets.task(cell.data).kind
            for metric in (PRIMARY[kind], *metrics):
                loaded = load_metric(metric)
                if loaded.samples is not None and kind in loaded.kinds:
                    job.metrics.setdefault(metric)

    # ---- Ledger --------------------------------------------------------------------------------

    def alternatives(self, entry: str) -> list[tuple[str, Any, str]]:
        """Setting, alternative and changed option of each alternative that is measured.

        An alternative beyond a bound of the scale is not.
        """
        spec = self.paper.ledger[entry]
        step, _, option = spec.set_in.partition(".")
        if step in runs.kinds():
            key = option
        elif step in plugins.names(PARTITIONERS, "PARTITIONER"):
            key = f"partition.{option}"
        else:
            key = spec.set_in
        return [
            (setting, value, key)
            for setting in spec.measured_on
            for value in spec.alternatives
            if not self._exceeds(step, setting, {option: value})
        ]

    def _exceeds(self, step: str, setting: str, values: Mapping[str, Any]) -> bool:
        """Whether values of a kind of run are beyond a bound of the scale."""
        if step not in runs.kinds():
            return False
        return bool(self.settings.run_layers(self.paper.name, step, setting).lowered(values))

    def check(self) -> None:
        """Check that all that is asked for can be run."""
        for entry in self.paper.ledger:
            self._check_entry(entry)
        self.jobs()

    def _check_entry(self, entry: str) -> None:
        """Refuse an entry of the ledger whose alternatives cannot be run."""
        where, spec = self.cells.where("ledger", entry), self.paper.ledger[entry]
        if spec.measured_on and "/" in spec.set_in:
            raise UserError(f"{where}: alternatives to {spec.set_in}, a file, cannot be run")
        for setting in spec.measured_on:
            self.settings.cited(self.paper.name, "settings", setting, where)
        for setting, value, key in self.alternatives(entry):
            try:
                names = [self.changed(kind, setting, key, value) for kind in runs.kinds()]
            except UserError as error:
                raise UserError(f"{where}: {error}") from None
            if "encoder_from" not in key and not any(names):
                raise UserError(f"{where}: alternatives of {key} cannot be run, or change nothing")

    def changed(self, kind: str, setting: str, key: str, value: Any) -> str | None:
        """Name of a setting's run with a change; ``None`` if it is none of this kind of run's."""
        spec = runs.part_of(kind, "spec")
        if "." not in key and key != "encoder_from" and key not in options.names(spec.Options):
            return None
        name = self.settings.canonical(self.paper.name, kind, setting, {key: value})
        return None if name == setting else name

    def _of_ledger(self) -> None:
        """Alternatives are run with all methods that tables and figures show of their setting."""
        shown = dict(self._jobs)
        for name in self.paper.ledger:
            for setting, value, key in self.alternatives(name):
                for (kind, data, variant, job), asked in shown.items():
                    other = self.changed(kind, setting, key, value) if variant == setting else None
                    if other and other not in self.paper.scale.left_out:
                        # A table may show the alternative, too, of some of the methods.
                        there = self._jobs.setdefault((kind, data, other, job), Group())
                        there.methods = {**asked.methods, **there.methods}
                        there.metrics = {**asked.metrics, **there.metrics}
