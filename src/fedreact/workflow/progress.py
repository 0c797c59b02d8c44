"""How far a run of the workflow is: what is to do, by table and figure, and about how long."""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fedreact.provenance import read_record

EVERY = 60.0
"""Seconds between two lines of a file or pipe."""

OFTEN = 1.0
"""Seconds after which the line of a terminal is written anew, and jobs that began are noted."""

EACH = 15
"""So many lines come each minute; of a longer run each takes half as long again as all before."""

HIDDEN = ("paper", "job")
"""Wildcards that tell a reader little of what is being made."""

SHOWN = ("make_table", "make_figure", "make_claims")

STEP = re.compile(r"^(.+?): (?:minute [\d.]+, )?(?:round|update|step) (\d+) of (\d+)\b", re.M)
"""A line of a training's log: what is trained, and how far it is."""


@dataclass
class Course:
    """How long jobs take, in seconds.

    Attributes
    ----------
    done
        Rule and kind, and seconds, of each job that has ended.
    running
        Rule and kind of each running job, the seconds since its start, and the share of its work
        that is done; ``None`` if its log does not state it.
    waiting
        Number of jobs that have not begun, by rule and kind.
    """

    done: list[tuple[str, float]] = field(default_factory=list)
    running: list[tuple[str, float, float | None]] = field(default_factory=list)
    waiting: Mapping[str, int] = field(default_factory=dict)

    def left(self, elapsed: float) -> float | None:
        """Estimate the seconds until the end, ``elapsed`` seconds after the start.

        Jobs are like those of their rule and kind, or like the mean of all. As many run at once as
        so far, and a job is on one place to its end. ``None`` as long as no job has ended or says
        how far it is.
        """
        seconds: dict[str, list[float]] = {}
        for like, taken in self.done:
            seconds.setdefault(like, []).append(taken)
        for like, since, share in self.running:
            if share:
                seconds.setdefault(like, []).append(since / share)
        every = [taken for some in seconds.values() for taken in some]
        if not sum(every):
            return None

        def usual(like: str) -> float:
            some = seconds.get(like, every)
            return sum(some) / len(some)

        rests = [
            since / share - since if share else max(usual(like) - since, 0.0)
            for like, since, share in self.running
        ]
        worked = sum(s for _, s in self.done) + sum(since for _, since, _ in self.running)
        at_once = worked / elapsed if worked and elapsed else 1.0
        work = sum(rests) + sum(number * usual(like) for like, number in self.waiting.items())
        return max([work / at_once, *rests])


def share_done(log: Path, trainings: int) -> float | None:
    """Read from its log which share of a job's work is done; ``None`` if it does not state it.

    ``trainings`` is the number of models that the job trains, one after another.
    """
    try:
        steps = STEP.findall(log.read_text())
    except (OSError, UnicodeDecodeError):
        return None
    if not steps:
        return None
    _, step, of = steps[-1]
    begun = len({name for name, _, _ in steps})
    return min((begun - 1 + int(step) / int(of)) / max(trainings, begun), 1.0)


class Progress:
    """How far a run is; says so by itself, until :meth:`stop`.

    Parameters
    ----------
    dag
        Snakemake's graph of jobs, of which only what it offers to its own scheduler is used.
    todo
        Jobs of it that are to be done.
    running
        Jobs that are being run; a function.
    results
        Folder of the scale, whose records say how long jobs took.
    console
        Where it is said.
    trainings
        ``trainings(job)``: the number of models that it trains.
    """

    def __init__(
        self,
        dag: Any,
        todo: Sequence[Any],
        running: Callable[[], Iterable[Any]],
        results: Path,
        console: Any,
        trainings: Callable[[Any], int] = lambda job: 1,
    ):
        self.dag, self.todo, self.running = dag, todo, running
        self.results, self.console = results, console
        self.trainings = trainings
        self._taken: dict[Any, tuple[str, float]] = {}
        self._since: dict[Any, float] = {}
        self._stopped, self._started = threading.Event(), time.monotonic()
        threading.Thread(target=self._watch, daemon=True).start()

    def stop(self) -> None:
        """Say no more."""
        self._stopped.set()
        self.console.clear()

    def left(self) -> list[Any]:
        """Jobs that are not done."""
        return [job for job in self.todo if not self.dag.finished(job)]

    def line(self) -> str:
        """How far it is, and what is being made."""
        left, running = self._note(), self._begun()
        begun = [job for job in left if job in running]
        course = Course(
            list(self._taken.values()),
            [(like_of(job), self._run(job), self._share(job)) for job in begun],
            Counter(like_of(job) for job in left if job not in running),
        )
        done = len(self.todo) - len(left)
        text = message(done, len(self.todo), course.left(self._elapsed()))
        now = [name_of(job) for job in running]
        return text + (f" Now: {now[0]}" if now else "") + (" ..." if len(now) > 1 else "")

    def _elapsed(self):
        return time.monotonic() - self._started

    def _begun(self):
        """Note when jobs began that run; returns them."""
        running = [job for one in self.running() for job in _members(one)]
        for job in running:
            self._since.setdefault(job, time.monotonic())
        return running

    def _run(self, job):
        return time.monotonic() - self._since[job]

    def _share(self, job):
        logs = getattr(job, "log", None)
        return share_done(Path(str(logs[0])), self.trainings(job)) if logs else None

    def _note(self):
        """Note how long jobs took that have ended; returns those that have not."""
        left = self.left()
        for job in set(self.todo).difference(left, self._taken):
            if job.output:
                record = read_record(self.results, Path(str(job.output[0]))) or {}
                seconds = [a["seconds"] for a in record.get("attempts", []) if "seconds" in a]
                self._taken[job] = (like_of(job), sum(seconds))
        return left

    def _watch(self):
        lines, due = 0, pause(0, 0.0)
        while not self._stopped.wait(OFTEN):
            self._begun()
            if not self.console.live and self._elapsed() < due:
                continue
            line, lines = self.line(), lines + 1
            due = self._elapsed() + pause(lines, self._elapsed())
            if self._stopped.is_set():
                return
            (self.console.rewrite if self.console.live else self.console.say)(line)


def pause(lines: int, elapsed: float) -> float:
    """Seconds to wait for the next line of a file or pipe, so that a run has few of them."""
    return EVERY if lines < EACH else elapsed / 2


def name_of(job: Any) -> str:
    """What a job makes, as its rule and its wildcards say."""
    wildcards = job.wildcards_dict
    values = [str(v) for k, v in wildcards.items() if k not in HIDDEN]
    # A job of several methods is called all, with a digest of its changes.
    methods = str(wildcards.get("job", "all")).split(".")[-1]
    named = [] if methods.startswith("all") else [re.sub("-[0-9a-f]{8}$", "", methods)]
    return " ".join([job.rule.name.replace("_", " "), *values, *named])


def like_of(job: Any) -> str:
    """Jobs of the same rule and kind of run, which take about as long, have this in common."""
    return f"{job.rule.name} {job.wildcards_dict.get('kind', '')}".strip()


def _members(job):
    return list(job) if job.is_group() else [job]


def asked(dag: Any) -> set[str]:
    """Names of the rules, and of the tables and figures, that what was asked for needs."""
    jobs = list(dag.jobs)
    made = {Path(str(job.output[0])).stem for job in jobs if job.rule.name in SHOWN}
    return made | {job.rule.name for job in jobs}


def summary(todo: Sequence[Any], upstream: Any) -> str:
    """One paragraph: how many jobs, and how many of them each table or figure waits for."""
    wanted = set(todo)
    counts = {}
    for job in todo:
        if job.rule.name in SHOWN:
            name = Path(str(job.output[0])).stem
            counts[name] = sum(other in wanted for other in upstream(job))
    listed = ", ".join(f"{name} ({n})" for name, n in sorted(counts.items()))
    return count(todo) + (f"; they share them: {listed}." if listed else ".")


def count(todo: Sequence[Any]) -> str:
    """How many jobs are to do."""
    return "1 job is to do" if len(todo) == 1 else f"{len(todo)} jobs are to do"


def message(done: int, total: int, left: float | None) -> str:
    """How far it is, and how many seconds are left."""
    text = f"{done} of {total} jobs are done"
    return (
        f"{text}." if left is None or done == total else f"{text}, about {_said(left / 60)} left."
    )


def _said(minutes):
    if minutes < 1.5:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 100 else f"{minutes / 60:.0f} hours"
