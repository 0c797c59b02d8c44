"""How far a run of the workflow is: what is to do, by table and figure, and about how long."""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fedreact.provenance import read_record

EVERY = 60.0
"""Seconds between two messages."""

SHOWN = ("make_table", "make_figure", "make_claims")


def begin(dag: Any, results: Path) -> None:
    """Say what is to do, and from now on each minute how much of it is done.

    Parameters
    ----------
    dag
        Snakemake's graph of jobs, of which only what it offers to its own scheduler is used.
    results
        Folder of the scale, whose records say how long jobs took.
    """
    todo = list(dag.needrun_jobs(exclude_finished=False))
    print(summary(todo, lambda job: dag.bfs(dag.dependencies, job)), flush=True)
    threading.Thread(target=_watch, args=(dag, todo, results), daemon=True).start()


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
    of = ", ".join(f"{name} ({n})" for name, n in sorted(counts.items()))
    what = "1 job is to do" if len(todo) == 1 else f"{len(todo)} jobs are to do"
    return what + (f"; they share them: {of}." if of else ".")


def _watch(dag, todo, results):
    started, seen = time.monotonic(), {}
    while True:
        time.sleep(EVERY)
        done = [job for job in todo if dag.finished(job)]
        for job in done:
            if job not in seen and job.output:
                record = read_record(results, Path(str(job.output[0]))) or {}
                taken = [a["seconds"] for a in record.get("attempts", []) if "seconds" in a]
                seen[job] = (job.rule.name, sum(taken))
        left = Counter(job.rule.name for job in todo) - Counter(job.rule.name for job in done)
        if not left:
            return
        print(message(seen.values(), left, len(todo), time.monotonic() - started), flush=True)


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
