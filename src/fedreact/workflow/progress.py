"""How far a run of the workflow is: what is to do, by table and figure, and about how long."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fedreact.provenance import read_record

EVERY = 60.0
"""Seconds between two lines of a file or pipe."""

OFTEN = 1.0
"""Seconds after which the line of a terminal is written anew."""

EACH = 15
"""So many lines come each minute; of a longer run each takes half as long again as all before."""

HIDDEN = ("kind", "paper", "job")
"""Wildcards that tell a reader little of what is being made."""

SHOWN = ("make_table", "make_figure", "make_claims")


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
    """

    def __init__(
        self,
        dag: Any,
        todo: Sequence[Any],
        running: Callable[[], Iterable[Any]],
        results: Path,
        console: Any,
    ):
        self.dag, self.todo, self.running = dag, todo, running
        self.results, self.console = results, console
        self._taken: dict[Any, tuple[str, float]] = {}
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
        left = Counter(job.rule.name for job in self._note())
        text = message(self._taken.values(), left, len(self.todo), self._elapsed())
        now = [name_of(job) for one in self.running() for job in _members(one)]
        return text + (f" Now: {now[0]}" if now else "") + (" ..." if len(now) > 1 else "")

    def _elapsed(self):
        return time.monotonic() - self._started

    def _note(self):
        """Note how long jobs took that have ended; returns those that have not."""
        left = self.left()
        for job in set(self.todo).difference(left, self._taken):
            if job.output:
                record = read_record(self.results, Path(str(job.output[0]))) or {}
                seconds = [a["seconds"] for a in record.get("attempts", []) if "seconds" in a]
                self._taken[job] = (job.rule.name, sum(seconds))
        return left

    def _watch(self):
        lines = 0
        while not self._stopped.wait(OFTEN if self.console.live else pause(lines, self._elapsed())):
            line, lines = self.line(), lines + 1
            if self._stopped.is_set():
                return
            (self.console.rewrite if self.console.live else self.console.say)(line)


def pause(lines: int, elapsed: float) -> float:
    """Seconds to wait for the next line of a file or pipe, so that a run has few of them."""
    return EVERY if lines < EACH else elapsed / 2


def name_of(job: Any) -> str:
    """What a job makes, as its rule and its wildcards say."""
    values = [str(v) for k, v in job.wildcards_dict.items() if k not in HIDDEN]
    return " ".join([job.rule.name.replace("_", " "), *values])


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


def message(
    done: Iterable[tuple[str, float]], left: Mapping[str, int], total: int, elapsed: float
) -> str:
    """How far it is, and how long the rest will take if its jobs are like those of their rule.

    Parameters
    ----------
    done
        Rule and seconds of each job that is done.
    left
        Jobs that are not, by rule.
    total
        All jobs.
    elapsed
        Seconds since the start.
    """
    done, n = list(done), total - sum(left.values())
    text = f"{n} of {total} jobs are done"
    worked = sum(seconds for _, seconds in done)
    if not worked:
        return f"{text}."
    of_rule: dict[str, list[float]] = {}
    for rule, seconds in done:
        of_rule.setdefault(rule, []).append(seconds)
    mean = worked / len(done)
    rest = sum(k * (_mean(of_rule[r]) if r in of_rule else mean) for r, k in left.items())
    minutes = rest * elapsed / worked / 60  # as many at once as so far
    return f"{text}, about {_said(minutes)} left."


def _said(minutes):
    if minutes < 1.5:
        return "a minute"
    return f"{minutes:.0f} minutes" if minutes < 100 else f"{minutes / 60:.0f} hours"


def _mean(values):
    return sum(values) / len(values)
