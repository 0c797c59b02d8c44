"""An evening of a campaign: missing runs until the time is over, each kept once it has ended."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fedreact import provenance
from fedreact.campaign.kept import KeptRuns
from fedreact.campaign.queue import Batch, CampaignRun
from fedreact.errors import UserError
from fedreact.estimates import asking, estimates
from fedreact.estimates.estimates import Estimator, ToDo
from fedreact.notes import words
from fedreact.resolve.plan import Plan

log = logging.getLogger("fedreact")

POLL = 5.0
"""Seconds between two looks at what has ended."""
START = 30.0
"""Seconds that a workflow takes to start: no batch begins with less time left."""
GRACE = 60.0
"""Seconds that a stopped workflow has to end by itself."""
LEAST = 0.05
"""Core-hours of which no more is said."""
A_CORE = 4
"""Runs for each core, below which batches are done together: cores stay busy."""
TOGETHER = 1 / 6
"""Hours of each core, below which batches are done together: few workflows are started."""
TITLES = 3
"""Batches that are named when they begin."""


@dataclass(frozen=True)
class Resources:
    """What a campaign may use.

    Attributes
    ----------
    minutes
        Until it stops.
    cores
        Cores, or jobs at once on a cluster.
    profile
        A profile of Snakemake, e.g. ``profiles/slurm``; without one all runs here.
    """

    minutes: float
    cores: int
    profile: str | None = None

    def __post_init__(self):
        if self.cores < 1 or not self.minutes > 0:
            raise UserError(
                f"a campaign takes at least one core and some minutes, not {self.cores} and "
                f"{self.minutes:g}"
            )


class Evening:
    """Runs what is missing of a campaign.

    Parameters
    ----------
    plan
        Its scale and papers.
    batches
        Runs in the order in which they are wanted.
    kept
        Where they are kept.
    config
        Changes of ``config.yaml``, ``key=value``, for Snakemake; the first is the scale.
    lock
        Descriptor of a locked file. Workflows inherit it, so it stays locked until the last one has
        ended, also where this process was killed.
    """

    def __init__(
        self,
        plan: Plan,
        batches: Sequence[Batch],
        kept: KeptRuns,
        config: Sequence[str],
        lock: int,
    ):
        self.plan, self.batches, self.kept = plan, batches, kept
        self.config, self.lock = config, lock
        self.runs = [run for batch in batches for run in batch.runs]
        self.hours: dict[str, float] = {}
        """Estimated core-hours of the runs that are to do, by their outputs."""

    @property
    def missing(self) -> list[CampaignRun]:
        """Runs that are not kept yet."""
        return [run for run in self.runs if not self.kept.has(run)]

    def begin(self, estimator: Estimator, resources: Resources) -> None:
        """Restore kept runs, keep what an evening that was killed has finished, and say the rest.

        Raises
        ------
        UserError
            A kept run is damaged, or Snakemake refuses the plan.
        """
        for run in self.runs:
            if self.kept.has(run):
                self.kept.restore(run)
        to_do = self._to_do(resources)
        waiting = {output for job in to_do for output in job.outputs}
        for run in self.missing:
            if run.output not in waiting and self._record(run):
                self.kept.keep(run)
        self._say(to_do, estimator, resources)

    def work(self, resources: Resources) -> None:
        """Run what is missing, batch by batch, until the time is over."""
        deadline = time.monotonic() + 60 * resources.minutes
        failed: set[CampaignRun] = set()
        while time.monotonic() + START < deadline:
            now = self.next_batches(resources, failed)
            if not now:
                break
            wanted = [run for batch in now for run in batch.runs]
            titles = words.listed([batch.title for batch in now], most=TITLES)
            log.info("now: %s of %s", words.counted(len(wanted), "run"), titles)
            self._run(wanted, resources, deadline)
            failed.update(run for run in wanted if not self.kept.has(run))
        self.kept.touch(self.done)
        log.info("%d of %d runs are kept in %s", *self.counts, self.kept.folder)
        if failed and time.monotonic() + START < deadline:
            raise UserError(
                f"{len(failed)} runs failed, {min(run.output for run in failed)} for one; "
                f"{self.plan.logs} has what they said"
            )

    @property
    def done(self) -> list[CampaignRun]:
        """Runs that are kept."""
        return [run for run in self.runs if self.kept.has(run)]

    @property
    def counts(self) -> tuple[int, int]:
        """How many runs are kept, and how many there are."""
        return len(self.runs) - len(self.missing), len(self.runs)

    def next_batches(self, resources: Resources, failed: Iterable[CampaignRun]) -> list[Batch]:
        """Return the first batches with something missing: enough of them to keep cores busy."""
        chosen: list[Batch] = []
        passed = set(failed)
        runs, hours = 0, 0.0
        for batch in self.batches:
            left = tuple(r for r in batch.runs if not self.kept.has(r) and r not in passed)
            if left:
                chosen.append(Batch(batch.title, left))
                runs += len(left)
                hours += sum(self.hours.get(run.output, 0.0) for run in left)
            if runs >= A_CORE * resources.cores and hours >= TOGETHER * resources.cores:
                break
        return chosen

    def _run(self, wanted: Sequence[CampaignRun], resources: Resources, deadline: float) -> None:
        """Have Snakemake make some runs; stop it at the deadline."""
        words = [sys.executable, "-m", "snakemake", *(run.output for run in wanted)]
        words += ["--nolock", "--config", *self.config]
        if resources.profile:
            words += ["--profile", resources.profile, "--jobs", str(resources.cores)]
        else:
            words += ["--cores", str(resources.cores)]
        before = {run: self._record(run) for run in wanted}  # of other code, to be run again
        workflow = subprocess.Popen(words, start_new_session=True, pass_fds=[self.lock])
        try:
            while workflow.poll() is None and (left := deadline - time.monotonic()) > 0:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    workflow.wait(min(POLL, left))
                self._keep_ended(before)
        finally:
            _stop(workflow)
            self._keep_ended(before)

    def _keep_ended(self, before: Mapping[CampaignRun, Any]) -> None:
        """Keep runs that have ended since they had the records ``before``."""
        for run, earlier in before.items():
            record = self._record(run)
            if record and record != earlier and not self.kept.has(run):
                self.kept.keep(run)

    def _record(self, run: CampaignRun) -> dict[str, Any]:
        """Return the record of a run that has ended; else an empty one."""
        path = Path(run.output)
        record = provenance.read_record(Path(self.plan.results), path) or {}
        made = record.get("outputs", {}).get(run.output, {}).get("sha256")
        ended = made and path.exists() and made == provenance.sha256(path)
        return record if ended else {}

    def _to_do(self, resources: Resources) -> list[ToDo]:
        """Ask Snakemake for the jobs that missing runs take."""
        targets = [run.output for run in self.missing]
        if not targets:
            return []
        scale, *changes = self.config
        printed = asking.dry_run(
            [*targets, "--nolock"], resources.cores, scale.partition("=")[2], changes
        )
        return estimates.parse(printed)

    def _say(self, to_do: Sequence[ToDo], estimator: Estimator, resources: Resources) -> None:
        """Say how far the campaign is, and when it will end."""
        log.info("%d of %d runs are kept in %s", *self.counts, self.kept.folder)
        if others := self.kept.others(self.runs):
            log.info(
                "%s of other code or options: not used", words.counted(len(others), "kept run")
            )
        self.hours = {job.outputs[0]: estimator(job).cpu_hours for job in to_do}
        if sum(self.hours.values()) < LEAST:
            return
        first, by_setting = "", {"": sum(self.hours.values())}
        for batch in self.batches:
            setting = batch.title.rpartition(", ")[0]
            own = sum(self.hours.get(run.output, 0.0) for run in batch.runs)
            by_setting[setting] = by_setting.get(setting, 0.0) + own
            first = first or (setting if own else "")
        for setting, what in ((first, f"the runs of {first}"), ("", "all that is left")):
            evenings = by_setting[setting] * 60 / resources.cores / resources.minutes
            log.info(
                "%s: %.1f core-hours, %.1f evenings of %.0f minutes on %d cores",
                *(what, by_setting[setting], evenings, resources.minutes, resources.cores),
            )


def _stop(workflow: subprocess.Popen[bytes]) -> None:
    """Interrupt a workflow and what it runs; after a while, kill it."""
    for how, seconds in ((signal.SIGINT, GRACE), (signal.SIGKILL, GRACE)):
        if workflow.poll() is not None:
            return
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.killpg(workflow.pid, how)
        try:
            workflow.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
