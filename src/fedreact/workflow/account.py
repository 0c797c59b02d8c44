"""What a run of the workflow says of itself, from its first job to its last."""

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fedreact.errors import UserError
from fedreact.resolve import configuration
from fedreact.resolve.plan import Plan
from fedreact.workflow import ending, failures, progress
from fedreact.workflow.console import Console

RUNS = ("run", "train")
"""Rules of runs."""


class Account:
    """Says what is to do, how far it is, and what came of it.

    Parameters
    ----------
    plan
        The plan of the run.
    workflow
        Snakemake's, of which its graph of jobs and its scheduler are asked.
    console
        Where it is said.
    """

    def __init__(self, plan: Plan, workflow: Any, console: Console):
        self.plan, self.workflow, self.console = plan, workflow, console
        self._began = time.monotonic()

    @property
    def asked(self) -> set[str]:
        """Names of rules, tables and figures that what was asked for needs."""
        return progress.asked(self.workflow.dag)

    def begin(self) -> None:
        """Say what is to do, and from now on how far it is.

        Raises
        ------
        UserError
            Nothing of what was asked for can be made here.
        """
        plan, dag, asked = self.plan, self.workflow.dag, self.asked
        todo = list(dag.needrun_jobs(exclude_finished=False))
        if why := ending.nothing(plan, asked, sum(bool(job.output) for job in dag.jobs)):
            raise UserError(why)
        jobs = progress.summary(todo, lambda job: dag.bfs(dag.dependencies, job))
        shown = ", ".join(plan.outputs.datasets_shown(ending.targets(plan, asked))) or "none"
        where = f"Scale: {plan.scale}. Data: {shown}. Results: {plan.files.outputs}/."
        if self.console.quiet:
            self.console.say(f"{where} {progress.count(todo)}.")
        else:
            self.console.say(jobs, *plan.outputs.left_out(ending.targets(plan, asked)), where)
        self.console.started = True
        plan.files.write_index()
        runs = [dict(job.wildcards.items()) for job in todo if job.rule.name in RUNS]
        # Once for all seeds.
        once = {tuple(sorted((run | {"seed": ""}).items())): run for run in runs}
        configuration.write(plan, list(once.values()))
        self.progress = progress.Progress(
            *(dag, todo, lambda: list(self.workflow.scheduler.running)),
            *(Path(plan.results), self.console, self._trainings),
        )

    def _trainings(self, job: Any) -> int:
        """Count the models that a job trains, one after another."""
        if job.rule.name not in RUNS:
            return 1
        w = SimpleNamespace(**self.plan.named(job.wildcards_dict))
        return len(self.plan.runs.run(w.kind, w.paper, w.dataset, w.setting, w.job).methods)

    def end(self) -> None:
        """Say what came of it."""
        self.progress.stop()
        took = time.monotonic() - self._began
        left, errors = self.progress.left(), failures.errors(self.plan.logs)
        self.console.say(*ending.lines(self.plan, self.asked, left, errors, took))
