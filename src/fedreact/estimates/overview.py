"""What a run will cost beside what it has taken, by step and by target, as text."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fedreact.estimates import estimates

COLUMNS = ["to do", "CPU h", "GPU h", "memory MB", "files MB", "done", "estimated", "took"]
NOTES = """\
CPU h and GPU h: hours of one core, of one GPU. memory MB: of the largest job. files MB: new ones.
done: jobs that an earlier plan had estimated, with the CPU hours estimated then and taken. Targets
share jobs, so theirs do not add up. Assumed: time grows in proportion to FLOPs; jobs that have no
like in earlier runs are as fast as a few training steps were just now; downloads are left out."""
DONE = "Nothing is left to do: all of it is there and up to date."

Jobs = Mapping[str, Mapping[str, Any]]


def text(everything: Jobs, jobs: Jobs, took: Mapping[str, float], targets: Mapping, cores: int):
    """The overview.

    Parameters
    ----------
    everything, jobs
        Estimates by the first output: of all jobs, and of those that are to be done.
    took
        CPU hours of those that are done.
    targets
        Files by target.
    """
    if not everything:
        return DONE
    steps = [[rule, *cells] for rule, cells in _by_step(everything, jobs, took)]
    total = ["all", *_summed(everything, jobs, took)]
    lines = [*_columns([["step", *COLUMNS], *steps, total])]
    if jobs:
        length = hours(sum(job["cpu_hours"] for job in jobs.values()) / cores)
        bases = [job["basis"] for job in jobs.values()]
        counts = ", ".join(f"{name} {bases.count(name)}" for name in dict.fromkeys(bases))
        lines += ["", f"{length} hours on {cores} cores, if all are always busy."]
        lines += [f"Jobs by what their estimate rests on: {counts}."]
    else:
        lines += ["", DONE]
    by_target = [[name, *cells] for name, cells in _by_target(targets, everything, jobs, took)]
    return "\n".join([*lines, "", *_columns([["target", *COLUMNS], *by_target]), "", NOTES])


def _by_step(everything, jobs, took) -> Iterator[tuple[str, list[str]]]:
    for rule in dict.fromkeys(job["rule"] for job in everything.values()):
        of_rule = {name: job for name, job in everything.items() if job["rule"] == rule}
        yield rule, _summed(of_rule, jobs, took)


def _by_target(targets, everything, jobs, took) -> Iterator[tuple[str, list[str]]]:
    """Each table and figure, with all that it is made from."""
    maker = {output: name for name, job in everything.items() for output in job["outputs"]}
    inputs_of = {
        name: [maker[path] for path in job["inputs"] if path in maker]
        for name, job in everything.items()
    }
    for target, files in targets.items():
        makers = [maker[path] for path in files if path in maker]
        own = {name: everything[name] for name in estimates.needed(makers, inputs_of)}
        if own:
            yield target, _summed(own, jobs, took)


def _summed(some, jobs, took) -> list[str]:
    """Texts under :data:`COLUMNS` of some jobs."""
    left = [job for name, job in some.items() if name in jobs]
    done = [name for name in some if name in took]
    gpu = [job["gpu_hours"] for job in left]
    return [
        str(len(left)),
        hours(sum(job["cpu_hours"] for job in left)),
        "unknown" if None in gpu else hours(sum(gpu)),
        f"{max((job['memory_mb'] for job in left), default=0):.0f}",
        f"{sum(job['megabytes'] for job in left):.0f}",
        str(len(done)),
        hours(sum(some[name]["cpu_hours"] for name in done)),
        hours(sum(took[name] for name in done)),
    ]


def hours(value: float) -> str:
    """Three digits or so, of no less than a hundredth; nothing is nothing."""
    if not value:
        return "-"
    return "<0.01" if value < 0.01 else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _columns(rows: Iterable[list[str]]) -> Iterator[str]:
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    for first, *rest in rows:
        cells = [text.rjust(width) for text, width in zip(rest, widths[1:])]
        yield "  ".join([first.ljust(widths[0]), *cells])
