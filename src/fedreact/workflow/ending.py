"""What is said when a run ends: what holds, where things lie, what is missing and why."""

import os
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fedreact.resolve.papers import FOLDER
from fedreact.resolve.plan import Plan, page_of
from fedreact.workflow import failures

COMMAND = "FEDREACT_COMMAND"
"""The environment's variable with the command that a user gave, if not Snakemake's own."""

LINES = 5
"""So many errors, or reasons for what is left out, are said in lines of their own."""

WIDTH = 10
"""Characters of the first column."""

EVERYTHING = ("all", "all_tables", "all_figures")
"""Targets that stand for what the chosen papers have."""


def targets(plan: Plan, asked: Iterable[str]) -> list[str]:
    """Tables and figures that targets stand for, those among them that cannot be made here."""
    asked, named = set(asked), plan.tables | plan.figures
    papers = set(plan.papers) if asked.intersection(EVERYTHING) else set()
    return [
        target
        for target, (paper, _) in named.items()
        if asked & {target, paper, page_of(paper)} or paper in papers
    ]


def nothing(plan: Plan, asked: Iterable[str], jobs: int) -> str | None:
    """Why nothing at all can be made of what is asked for; ``None`` if something can.

    Parameters
    ----------
    plan
        The plan of the run.
    asked
        Names of rules of the graph of jobs.
    jobs
        Jobs of the graph that write a file.
    """
    if jobs or not (lines := plan.outputs.left_out(targets(plan, asked))):
        return None
    return f"nothing can be built: {lines[0].removeprefix('Left out: ')}" + (
        f" (and {len(lines) - 1} more reasons)" if len(lines) > 1 else ""
    )


def lines(
    plan: Plan,
    asked: Iterable[str],
    left: Sequence[Any] = (),
    failed: Sequence[str] = (),
    seconds: float | None = None,
) -> list[str]:
    """Lines of the summary: at most thirty, of which only those appear that have something to say.

    Parameters
    ----------
    plan
        The plan of the run.
    asked
        Names of rules, tables and figures of the graph of jobs.
    left
        Jobs that should have run and have not ended well.
    failed
        A line for each job that failed.
    seconds
        Since the start.
    """
    asked, out = set(asked), Path(plan.files.outputs)
    tables, figures = (
        [name for name in targets if name in asked and Path(file(name)[0]).is_file()]
        for targets, file in ((plan.tables, plan.files.table), (plan.figures, plan.files.figure))
    )
    printed = [_head(plan, len(tables), len(figures), bool(left or failed), seconds)]
    if "make_claims" in asked and (out / "claims.csv").is_file():
        printed += [f"  {line}" for line in _claims(out / "claims.csv")]
    if tables:
        scale = f" SCALE={plan.scale}"
        printed.append(
            _line("Tables", f"{out}/tables/ (print one: make show TABLE={tables[0]}{scale})")
        )
    if figures:
        printed.append(_line("Figures", f"{out}/figures/"))
    if "report" in asked and (out / "report.html").is_file():
        stale = any(job.rule.name == "report" for job in left)
        printed.append(_line("Open", f"{out}/report.html{' (of an earlier run)' if stale else ''}"))
    pages = [
        plan.files.page(paper)
        for paper in plan.result_pages.papers()
        if asked & {paper, page_of(paper), "all"} and Path(plan.files.page(paper)).is_file()
    ]
    printed += [_line("Open", f"{page}{_stale(left, page)}") for page in pages]
    wanted = targets(plan, asked)
    left_out = [line.removeprefix("Left out: ") for line in plan.outputs.left_out(wanted)]
    printed += [_line("Left out", line) for line in _few([*left_out, *parts(plan, wanted)])]
    if failed or left:
        jobs = f"{len(failed)} job{'s' if len(failed) > 1 else ''}:"
        stopped = _line("Stopped", "steps that have ended are kept")
        printed.append(_line("Failed", jobs) if failed else stopped)
        printed += _few(failures.grouped(failed))
        if names := _outputs(left):
            printed.append(_line("Not built", ", ".join(_few(names))))
        printed.append(_line("Again", again()))
        printed.append(_line("Logs", f"{plan.results}/logs/, .snakemake/log/"))
    return printed


def parts(plan: Plan, wanted: Iterable[str]) -> list[str]:
    """A line for each reason for which cells of tables and figures are left out, most cells first.

    Those of which nothing is made are not among them.
    """
    why: dict[str, Counter[str]] = {}
    for target in wanted:
        if plan.outputs.missing(target) is None:
            for cell in plan.outputs.cells(target).values():
                if cell.skipped:
                    why.setdefault(cell.skipped, Counter())[target] += 1
    most = sorted(why.items(), key=lambda one: -one[1].total())
    return [f"cells of {', '.join(_few(list(cells)))}: {reason}" for reason, cells in most]


def _head(plan, tables, figures, incomplete, seconds):
    counts = [(tables, "table"), (figures, "figure")]
    what = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in counts if n]
    text = "Done" if not incomplete else "Not all is built"
    if seconds is not None:
        text += f" after {max(seconds / 60, 0.1):.{0 if seconds >= 600 else 1}f} minutes"
    return f"{text}: {' and '.join(what)}. Scale: {plan.scale}." if what else f"{text}."


def _claims(csv):
    """What holds and what does not."""
    if find_spec("fedreact.claims.summary") is None:
        return []
    from fedreact.claims.summary import summary_lines

    return summary_lines(csv, FOLDER)[:5]


def _stale(left, page):
    """Whether a page is of an earlier run."""
    files = [str(file) for job in left for file in job.output]
    return " (of an earlier run)" if page in files else ""


def _few(lines):
    """Some of them, and how many more there are."""
    more = len(lines) - LINES
    return [*lines[:LINES], *([f"... and {more} more"] if more > 0 else [])]


def _outputs(jobs):
    """Tables, figures and the report among what jobs make."""
    named = {"make_table", "make_figure", "report", "claims"}
    return sorted(Path(str(job.output[0])).stem for job in jobs if job.rule.name in named)


def _line(word, text):
    return f"{word:<{WIDTH}}{text}"


def again() -> str:
    """The command that goes on with this run."""
    return os.environ.get(COMMAND) or shlex.join(["snakemake", *sys.argv[1:]])
