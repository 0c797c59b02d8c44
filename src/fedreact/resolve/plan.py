"""The plan of a run of the workflow: targets, and a table of jobs that the rules read.

Configuration is resolved here once. Each module of this folder knows those above it in this list,
and no other: papers and their entries; settings and datasets; cells; the workload of a paper;
:class:`fedreact.resolve.experiments.Experiments`; outputs; claims; multiverse, report and
benchmark.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from fedreact.data import own
from fedreact.data.files import MIRRORS
from fedreact.errors import UserError
from fedreact.provenance import TOLD
from fedreact.resolve.benchmark import Benchmark
from fedreact.resolve.claims import Claims
from fedreact.resolve.data_jobs import DataJobs
from fedreact.resolve.encoder_jobs import EncoderJobs
from fedreact.resolve.experiments import Experiments
from fedreact.resolve.files import DIGEST
from fedreact.resolve.job import Job
from fedreact.resolve.measures import Measures
from fedreact.resolve.multiverse import DRAWN, TUNED, Multiverse
from fedreact.resolve.outputs import Outputs
from fedreact.resolve.papers import FOLDER
from fedreact.resolve.report import Report
from fedreact.resolve.result import ResultPages
from fedreact.resolve.run_jobs import RunJobs


def page_of(paper: str) -> str:
    """Target of the page of a result."""
    return f"{paper}_page"


class Plan:
    """Targets and jobs under a configuration.

    Parameters
    ----------
    config
        Content of ``config/config.yaml`` with the command line's changes.

    Raises
    ------
    UserError
        One line: which file, which key, what is wrong, what is allowed.
    """

    def __init__(self, config: Mapping[str, Any]):
        self.experiments = Experiments(config)
        self.config, self.scale = self.experiments.config, self.experiments.scale
        self.how_much, self.results = self.experiments.how_much, self.experiments.results
        self.files, self.papers = self.experiments.files, self.experiments.papers
        self.settings, self.datasets = self.experiments.settings, self.experiments.datasets
        self.data = DataJobs(self.experiments)
        self.encoders = EncoderJobs(self.experiments)
        self.runs = RunJobs(self.experiments)
        self.outputs = Outputs(self.experiments)
        self.claims = Claims(self.experiments, self.outputs)
        self.measures = Measures(self.experiments, self.outputs)
        self.multiverse = Multiverse(self.experiments, self.claims)
        self.result_pages = ResultPages(self.experiments, self.outputs)
        self.report = Report(self.experiments, self.outputs, self.claims, self.result_pages)
        self.benchmark = Benchmark(self.experiments, self.outputs)
        self._jobs: dict[tuple[Any, ...], Job] = {}

    # ---- Jobs ----------------------------------------------------------------------------------

    def job(self, rule: str, **wildcards: str) -> Job:
        """The job of a rule, by the wildcards of its files or by names with changes."""
        key = (rule, *sorted(wildcards.items()))
        if key not in self._jobs:
            self._jobs[key] = self._resolvers[rule](**self.named(wildcards))
        return self._jobs[key]

    def named(self, wildcards: Mapping[str, str]) -> dict[str, str]:
        """Names for folders; all that its paper asks for is resolved to find one in no index."""
        names = {wildcard: self.files.name(text) for wildcard, text in wildcards.items()}
        if "paper" in names and any(re.search(DIGEST, name) for name in names.values()):
            self.resolve(names["paper"])
            names = {wildcard: self.files.name(text) for wildcard, text in wildcards.items()}
        return names

    def resolve(self, paper: str) -> None:
        """Resolve all runs and universes that a paper asks for, so that their files are known."""
        for kind, dataset, setting, job in self.experiments.workload(paper).jobs():
            place = {"kind": kind, "paper": paper, "dataset": dataset, "setting": setting}
            self.job("run", **place, job=job, seed="0")
        for view in (DRAWN, TUNED):
            for setting in self.multiverse.settings(paper, view):
                self.multiverse.universes(paper, view, setting)

    @property
    def _resolvers(self) -> dict[str, Callable[..., Job]]:
        """What resolves the jobs of each rule."""
        return {
            "prepare_data": self.data.dataset,
            "prepare_part": self.data.part,
            "make_partition": self.data.partition,
            "train_encoder": self.encoders.training,
            "extract_features": self.encoders.features,
            "run": self.runs.training,
            "train": self.runs.training,
            "study": self.outputs.study_job,
            "make_table": self.outputs.table,
            "make_figure": self.outputs.figure,
            "measure_ledger": self.measures.ledger,
            "measure_search": self.measures.search,
            "make_claims": self.claims.job,
            "multiverse_part": self.multiverse.part,
            "multiverse_sum": self.multiverse.summary,
            "multiverse_curve": self.multiverse.curve,
            "report": self.report.job,
            "benchmark": self.benchmark.job,
            "result_page": self.result_pages.job,
        }

    def check(self, papers: Iterable[str] | None = None) -> None:
        """Check papers, all unless some are named: what they name must be there."""
        names = self.experiments.names
        checked = names if papers is None else list(papers)
        named = [*self.tables, *self.figures, *self.searches, *names]
        named += [page_of(name) for name in names if self.settings.paper(name).about.is_own]
        if twice := [name for name in named if named.count(name) > 1]:
            raise UserError(f"{FOLDER}: there are two targets of the name {twice[0]!r}")
        for name in own.names(self.datasets.data_folder):
            own.check_name(name, self.datasets.registry)
        for name in checked:
            self.settings.check(name)
            self.experiments.workload(name).check()
            self.claims.asked(name)
            self.multiverse.check(name)
        for target, (paper, _) in self.figures.items():
            if paper in checked:
                self.outputs.datasets_of(target)
        for target, (paper, _) in (self.tables | self.figures).items():
            if paper in checked:
                self.outputs.study(target)

    # ---- Targets -------------------------------------------------------------------------------

    @property
    def tables(self) -> dict[str, tuple[str, str]]:
        """All tables by the names of their targets: their paper, and its name for them."""
        return self.experiments.tables

    @property
    def figures(self) -> dict[str, tuple[str, str]]:
        """All figures by the names of their targets: their paper, and its name for them."""
        return self.experiments.figures

    @property
    def searches(self) -> dict[str, tuple[str, str]]:
        """All searches by the names of their targets: their paper, and its name for them."""
        return self.experiments.searches

    def named_outputs(self) -> dict[str, list[str]]:
        """Files of each table and figure."""
        return {name: self.files.table(name) for name in self.tables} | {
            name: self.files.figure(name) for name in self.figures
        }

    def targets(self) -> dict[str, list[str]]:
        """Files of each target that is known by its name: a table, figure, search, paper, page of a
        result, or all tables of one role of data. Those that cannot be made have none: other
        targets go on."""
        outputs, named = self.outputs, self.named_outputs()
        files = {name: [] if outputs.missing(name) else paths for name, paths in named.items()}
        files |= {name: self.files.summary("searches", name) for name in self.searches}
        for paper in self.experiments.names:
            names = outputs.chosen(self.tables | self.figures, [paper])
            files[paper] = [file for name in names for file in files[name]]
            files[paper] += self.files.claims([paper] if self.claims.asked(paper) else [])
        for paper in self.result_pages.papers():
            files[page_of(paper)] = [self.files.page(paper)]
            files[paper].append(self.files.page(paper))
        for role in self.datasets.roles:
            tables = [name for name in outputs.chosen(self.tables) if outputs.roles(name) == {role}]
            files[f"{role}_tables"] = [file for name in tables for file in self.files.table(name)]
        return files

    # ---- The environment of the steps ----------------------------------------------------------

    def export(self) -> None:
        """Tell the steps, through the environment, where raw files are and what to record.

        Not through a rule's parameters: neither must re-run anything.
        """
        os.environ[TOLD] = json.dumps({"results": self.results, "config": self.chosen_config()})
        os.environ["FEDREACT_DATA_FOLDER"] = self.config.data_folder
        if self.datasets.mirrors:
            os.environ[MIRRORS] = os.pathsep.join(map(str, self.datasets.mirrors))

    def chosen_config(self) -> dict[str, str]:
        """What ``--config`` has to say for the same scale, data and device again."""
        main = self.experiments.main_role
        datasets = {
            "dataset" if role == main else f"{role}_dataset": self.datasets.of_role(role)
            for role in self.datasets.roles
        }
        return {"scale": self.scale, **datasets, "device": self.config.device}

    @property
    def logs(self) -> Path:
        """Folder of the logs of jobs."""
        return Path(self.results, "logs")
