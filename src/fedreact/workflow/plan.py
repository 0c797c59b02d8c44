"""The plan of a run of the workflow: the checked configuration, and what the rules get of it.

What the rules of a file of ``workflow/rules/`` ask is a part of the plan of that name:
``PLAN.data``,
``PLAN.encoding``, ``PLAN.runs``, ``PLAN.outputs`` (with ``PLAN.measures``), ``PLAN.claims`` and
``PLAN.report``.
"""

import itertools
import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from fedreact import options
from fedreact.data import own
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError, unknown
from fedreact.provenance import TOLD
from fedreact.workflow import failures
from fedreact.workflow.cells import Cells
from fedreact.workflow.claim_steps import ClaimSteps
from fedreact.workflow.config import Config, chosen_papers, load_scale
from fedreact.workflow.data_steps import DataSteps
from fedreact.workflow.encoding_steps import EncodingSteps
from fedreact.workflow.files import Files
from fedreact.workflow.measure_steps import MeasureSteps
from fedreact.workflow.multiverse_steps import MultiverseSteps
from fedreact.workflow.output_steps import OutputSteps
from fedreact.workflow.papers import FOLDER, paper_names
from fedreact.workflow.report_steps import ReportSteps
from fedreact.workflow.run_steps import RunSteps
from fedreact.workflow.sources import Sources
from fedreact.workflow.steps import Steps

MAIN_ROLE = "digits"  # whose dataset is chosen by `dataset`, not by `digits_dataset`


class Plan:
    """What the rules of the workflow ask.

    Parameters
    ----------
    config
        Content of ``config/config.yaml`` with the command line's changes.

    Raises
    ------
    UserError
        One line: which file, which key, what is wrong, what is allowed.
    """

    def __init__(self, config: dict):
        if not isinstance(config, dict):
            raise UserError("config/config.yaml: wanted keys and values")
        of_roles = {k: v for k, v in config.items() if str(k).endswith("_dataset")}
        given = {k: v for k, v in config.items() if k not in of_roles}
        self.config = options.check(Config, given, "config")
        self.scale = self.config.scale
        self.how_much = load_scale(self.scale)
        self.results = f"results/{self.scale}"
        self.sources = self._sources(of_roles)
        self.files = Files(self.results, "+".join(self.sources.others(self.how_much.datasets)))
        self.steps = Steps(self.scale, self.sources, self.how_much.like)
        self.papers = chosen_papers(self.config.papers)
        self._cells: dict[str, Cells] = {}
        self.data, self.encoding = DataSteps(self), EncodingSteps(self)
        self.runs, self.outputs = RunSteps(self), OutputSteps(self)
        self.claims, self.measures = ClaimSteps(self), MeasureSteps(self)
        self.report, self.multiverse = ReportSteps(self), MultiverseSteps(self)

    def _sources(self, of_roles):
        registry = load_registry(*registries())
        roles = {entry.role for entry in registry.values() if entry.role}
        chosen = {MAIN_ROLE: self.config.dataset}
        for key, name in of_roles.items():
            role = key.removesuffix("_dataset")
            if role not in roles or not isinstance(name, str):
                keys = [f"{role}_dataset" for role in sorted(roles)]
                raise UserError(
                    f"config: {unknown(key, keys)}; each is the name of a dataset, or auto"
                )
            chosen[role] = name
        for role, name in self.how_much.datasets.items():
            if chosen.get(role, "auto") == "auto":
                chosen[role] = name
        mirror = self.config.data_mirror or os.environ.get("FEDREACT_DATA_MIRROR") or None
        prepared = {path.stem for path in Path(self.results, "data").glob("*.npz")}
        return Sources(
            *(registry, chosen, self.scale, self.how_much.like),
            *(Path(self.config.data_folder), Path(mirror) if mirror else None, prepared),
        )

    def check(self) -> None:
        """Check all papers: what they name must be there."""
        named = [*self.tables, *self.figures, *self.searches, *paper_names()]
        if twice := [name for name in named if named.count(name) > 1]:
            raise UserError(f"{FOLDER}: there are two targets of the name {twice[0]!r}")
        for name in own.names(self.sources.data_folder):
            own.check_name(name, self.sources.registry)
        for name in paper_names():
            self.steps.check(name)
            self.cells(name).check()
            self.claims.asked(name)
            self.multiverse.check(name)
        for target in self.figures:
            self.outputs.figure_files(target)
        for target in [*self.tables, *self.figures]:
            self.outputs.study(target)

    # ---- Papers and their outputs --------------------------------------------------------------

    def cells(self, paper: str) -> Cells:
        """What a paper's tables and figures need."""
        if paper not in self._cells:
            self._cells[paper] = Cells(self.steps, self.steps.paper(paper))
        return self._cells[paper]

    @cached_property
    def tables(self) -> dict[str, tuple[str, str]]:
        """All tables by the names of their targets: their paper, and its name for them."""
        return self._named("tables")

    @cached_property
    def figures(self) -> dict[str, tuple[str, str]]:
        """All figures by the names of their targets: their paper, and its name for them."""
        return self._named("figures")

    @cached_property
    def searches(self) -> dict[str, tuple[str, str]]:
        """All searches by the names of their targets: their paper, and its name for them."""
        return self._named("searches")

    def _named(self, what):
        found: dict[str, tuple[str, str]] = {}
        for paper in paper_names():
            content = self.steps.paper(paper)
            for name in getattr(content, what):
                target = f"{content.prefix}{name}"
                if target in found:
                    raise UserError(f"{FOLDER / paper}: {target!r} is another paper's, too")
                found[target] = paper, name
        return found

    def chosen(self, named: dict[str, tuple[str, str]], papers: Iterable[str] = ()) -> list[str]:
        """Targets of some papers, of those that the configuration names if none are given."""
        wanted = list(papers) or self.papers
        return [
            target
            for target, (paper, _) in named.items()
            if paper in wanted and not (named is not self.searches and self.outputs.missing(target))
        ]

    def left_out(self, targets: Iterable[str] | None = None) -> list[str]:
        """A line for each reason for which tables and figures cannot be made here.

        They are those of the chosen papers, if none are given.
        """
        why: dict[str, list[str]] = {}
        named = self.tables | self.figures
        if targets is None:
            targets = [target for target, (of, _) in named.items() if of in self.papers]
        for target in targets:
            if reason := self.outputs.missing(target):
                why.setdefault(reason, []).append(target)
        return [f"Left out: {', '.join(targets)}: {reason}." for reason, targets in why.items()]

    def named_outputs(self) -> dict[str, list[str]]:
        """Files of each table and figure."""
        return {name: self.files.table(name) for name in self.tables} | {
            name: self.files.figure(name) for name in self.figures
        }

    def targets(self) -> dict[str, list[str]]:
        """Files of each target that is known by its name: a table, figure, search, paper, or all
        tables of one role of data. Those that cannot be made have none: other targets go on."""
        missing = self.outputs.missing
        found = {name: [] if missing(name) else of for name, of in self.named_outputs().items()}
        found |= {name: self.files.summary("searches", name) for name in self.searches}
        for paper in paper_names():
            names = self.chosen(self.tables | self.figures, [paper])
            found[paper] = [file for name in names for file in found[name]]
            found[paper] += self.files.claims([paper] if self.claims.asked(paper) else [])
        for role in self.sources.roles:
            names = [
                name for name in self.chosen(self.tables) if self.outputs.roles(name) == {role}
            ]
            found[f"{role}_tables"] = [file for name in names for file in self.files.table(name)]
        return found

    def seeds(self, paper: str, kind: str) -> tuple[int, ...]:
        """Seeds of a kind of run of a paper."""
        return self.steps.paper(paper).scale.seeds.get(kind, self.how_much.seeds)

    def table_seeds(self, paper: str) -> list[int]:
        """Seeds of all kinds of run in the tables of a paper."""
        of_kinds = self.steps.paper(paper).scale.seeds.values()
        return sorted({*self.how_much.seeds, *itertools.chain(*of_kinds)})

    def errors(self) -> list[str]:
        """What failed in this run, a line a job."""
        return failures.errors(Path(self.results, "logs"))

    @property
    def gpus(self) -> int:
        """GPUs that a training asks a cluster for: one if ``device`` is ``cuda``, not ``auto``."""
        return int(self.config.device == "cuda")

    # ---- The environment of the steps ----------------------------------------------------------

    def export(self) -> None:
        """Tell the steps, through the environment, where raw files are and what to record.

        Not through a rule's parameters: neither must re-run anything.
        """
        os.environ[TOLD] = json.dumps({"results": self.results, "config": self.chosen_config()})
        os.environ["FEDREACT_DATA_FOLDER"] = self.config.data_folder
        if self.sources.mirror:
            os.environ["FEDREACT_DATA_MIRROR"] = str(self.sources.mirror)

    def chosen_config(self) -> dict[str, str]:
        """What ``--config`` has to say for the same scale, sources and device again."""
        datasets = {
            "dataset" if role == MAIN_ROLE else f"{role}_dataset": self.sources.of_role(role)
            for role in self.sources.roles
        }
        return {"scale": self.scale, **datasets, "device": self.config.device}
