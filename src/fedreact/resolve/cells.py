"""Cells: which run, with which method, stands behind each cell of a table or curve of a figure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fedreact.errors import UserError
from fedreact.kinds import contract as runs
from fedreact.resolve import variants
from fedreact.resolve.layers import Location
from fedreact.resolve.once import once
from fedreact.resolve.papers import Paper
from fedreact.resolve.scales import GIVEN_ENCODER
from fedreact.resolve.settings import Settings


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
    searched
        Where each option is written that a search chose for its dataset.
    """

    kind: str
    data: str
    setting: str
    job: str
    method: runs.Method
    skipped: str | None = None
    unlike: tuple[str, ...] = ()
    role: str = ""
    searched: Mapping[str, Location] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Its job's key in :meth:`fedreact.resolve.workload.Workload.jobs`."""
        return self.kind, self.data, self.setting, self.job


class Cells:
    """Cells of a paper's tables, figures and searches.

    Parameters
    ----------
    settings
        Settings of all papers.
    paper
        The one whose outputs these are.
    """

    def __init__(self, settings: Settings, paper: Paper):
        self.settings, self.paper = settings, paper
        self._cells: dict[str, Cell] = {}
        self._seen: dict[tuple[Any, ...], Any] = {}

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
        return {place: replace(cell, skipped=cell.skipped or why) for place, cell in cells.items()}

    @once
    def figure(self, name: str) -> dict[tuple[str, str], Cell]:
        """Cells of a figure that is made of scores, by the labels of panel and curve."""
        where = self.where("figures", name)
        asked = self.paper.figures[name].options.cells()
        return {
            place: self.cell(entry, f"{where}: {', '.join(place)}")
            for place, entry in asked.items()
        }

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

    def _cell(self, asked: Mapping[str, Any]) -> Cell:
        changes = {k: v for k, v in asked.items() if k not in variants.MARKS}
        kind, method = self.method(asked["method"])
        setting, spec = asked["setting"], runs.part_of(kind, "spec")
        searched, place = self._searched(asked)
        of_method = variants.own_options(kind, method)
        changes = {k: v for k, v in searched.items() if k not in of_method} | changes
        of_run = self.settings.run(self.paper.name, kind, setting, changes)
        better = {k: v for k, v in searched.items() if k in of_method}
        method = variants.of_method(kind, method, variants.different(better, method, of_run))
        if "options" in asked:
            method = variants.of_algorithm(kind, method, asked["options"])
        if asked.get("tuned"):
            better = self.paper.scale.tuned.get(spec.job(method, of_run), {})
            method = variants.of_method(kind, method, variants.different(better, method, of_run))
        cell = self.of_method(kind, setting, changes, method, of_run)
        owner, own = self.settings.cited(self.paper.name, "settings", setting)
        names = own, cell.setting
        reason = owner.scale.reason_to_leave_out(names, kind, bool(asked.get("tuned")))
        places = {option: place / option for option in searched}
        return replace(cell, skipped=cell.skipped or reason, searched=places)

    def _searched(self, asked: Mapping[str, Any]) -> tuple[dict[str, Any], Location]:
        """Options that a search chose for a cell, but for those it says itself, and their place."""
        chooser = self.settings.paper(self.paper.about.options_of or self.paper.name)
        if not chooser.chosen:
            return {}, Location(chooser.chosen_file)
        changes = {k: v for k, v in asked.items() if k not in variants.MARKS}
        partition = self.settings.partition_of(self.paper.name, asked["setting"], changes)
        data = variants.parts(self.settings.dataset(*partition))[0]
        owner, own = self.settings.cited(self.paper.name, "methods", asked["method"])
        name = variants.text(own if owner is chooser else f"{owner.name}/{own}", changes)
        chosen = chooser.chosen.get(data, {}).get(name, {})
        said = {*changes, *asked.get("options", {})}
        place = Location(chooser.chosen_file, (data, name))
        return {k: v for k, v in chosen.items() if k not in said}, place

    def of_method(
        self,
        kind: str,
        setting: str,
        changes: Mapping[str, Any],
        method: runs.Method,
        of_run: Any,
        job: str = "",
    ) -> Cell:
        """A cell of a method whose run has these options; ``job`` precedes its job's name."""
        name = self.settings.canonical(self.paper.name, kind, setting, changes)
        data = self.settings.dataset(*self.settings.partition_of(self.paper.name, setting, changes))
        data = self.settings.datasets.varied(data, variants.split(changes)["data"])
        method = replace(method, of_run=variants.different(method.of_run, None, of_run))
        shared, *changed = runs.part_of(kind, "spec").job(method, of_run).split("+")
        apart = kind in self.paper.scale.apart
        job += "+".join([method.name.split("+")[0] if apart else shared, *changed])
        owner, own = self.settings.cited(self.paper.name, "settings", setting)
        datasets = self.settings.datasets
        skipped = datasets.missing(data)  # then nothing is known of its task
        skipped = skipped or runs.skipped(kind, method.algorithm, datasets.task(data))
        role = self.settings.partition(owner.name, owner.settings[own].partition)[0].data
        unlike = owner.scale.unlike_of(own, role, kind)
        if "features" in runs.part_of(kind, "spec").NEEDS:
            *_, seed = self.settings.encoder_of(self.paper.name, setting, changes)
            unlike += () if seed is None else (GIVEN_ENCODER,)
        return Cell(kind, data, name, job, method, skipped, unlike, role)

    def method(self, name: str) -> tuple[str, runs.Method]:
        """Kind of run of a method of this paper or a cited one, and what it stands for."""
        owner, own = self.settings.cited(self.paper.name, "methods", name)
        kind, method = owner.methods[own]
        return kind, method if owner is self.paper else replace(method, name=f"{owner.name}.{own}")
