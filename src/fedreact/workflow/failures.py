"""What failed in this run of the workflow, and why, in a line a job.

The shell around each step (``workflow/step.sh``) ends the log of one that fails with :data:`MARK`
and the name of the run, so that logs of earlier runs are told apart, on a cluster as well.
"""

import logging
import os
import re
import time
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

RUN = "FEDREACT_RUN_ID"
"""The environment's variable with the name of the run."""

MARK = "failed in run "

INTERRUPTED = "status 130"
"""How the mark of a step ends that Ctrl-C has stopped: nothing is wrong with it."""

FRAME = re.compile(r'File "(.+)", line (\d+)')
NO_TARGET = re.compile(r"MissingRuleException:\nNo rule to produce (\S+) \(")
LOCKED = "Error: Directory cannot be locked."
RAISED = re.compile(r"[A-Za-z_][\w.]*(: .*)?")


def begin() -> None:
    """Give this run a name, which its steps inherit."""
    os.environ[RUN] = f"{time.time_ns():x}-{os.getpid()}"


def in_words(record: logging.LogRecord, targets: Iterable[str]) -> bool:
    """Have Snakemake say in words what a target is; returns whether to print what it says.

    Not the whole command of a failed step, since :func:`errors` says what there is to say. The log
    file of Snakemake has it, and ``snakemake -p`` prints commands before they run.
    """
    said = record.getMessage()
    if missing := NO_TARGET.match(said):
        (name,) = missing.groups()
        near = "".join(f"; did you mean {one}?" for one in get_close_matches(name, targets, n=1))
        record.msg = f"error: {name} is neither a target nor a file that a step makes{near}"
        record.args = ()
    elif LOCKED in said:
        record.msg = (
            "error: another run in this folder writes the same files; wait until it has ended, or "
            "stop it, and run the same command again (snakemake --unlock, if none is active)"
        )
        record.args = ()
    return not said.startswith("RuleException:\nCalledProcessError")


def errors(logs: Path) -> list[str]:
    """A line for each job of this run that failed: its last error, and its log.

    A job that Ctrl-C has stopped has not failed.
    """
    if not (run := os.environ.get(RUN, "")):
        return []
    ends = {path: _last_line(path) for path in sorted(Path(logs).rglob("*.log"))}
    mark = f"{MARK}{run}: "
    return [
        line(path)
        for path, end in ends.items()
        if end.startswith(mark) and end != f"{mark}{INTERRUPTED}"
    ]


def is_interrupted(log: Path) -> bool:
    """Tell whether Ctrl-C has stopped the job of a log."""
    last = _last_line(log) if log.is_file() else ""
    return last.startswith(MARK) and last.endswith(INTERRUPTED)


def _last_line(log: Path) -> str:
    return (log.read_text(errors="replace").splitlines() or [""])[-1]


def grouped(errors: Iterable[str]) -> list[str]:
    """Lines of :func:`errors`, one of those that say the same; how many say so stands in it."""
    same: dict[str, list[str]] = {}
    for error in errors:
        text, _, log = error.rpartition("  (")
        same.setdefault(text, []).append(log.removesuffix(")"))
    return [
        f"{text}  ({logs[0]}{f', and {len(logs) - 1} more logs' if len(logs) > 1 else ''})"
        for text, logs in same.items()
    ]


def line(log: Path) -> str:
    """Why a job failed, as its log says, and where that lies."""
    if not log.is_file():
        return f"error: a step failed before it could say why  ({log})"
    lines = log.read_text(errors="replace").splitlines()
    status = "an error"
    if lines and lines[-1].startswith(MARK):
        status = lines.pop().partition(": ")[2]
    return f"{reason(lines) or f'ended with {status}'}  ({log})"


def reason(lines: list[str]) -> str:
    """The last error of a log: one that is said in a line, or an exception and where it arose.

    The place is the innermost in ``own/``, as it is there that a user can mend it, else the
    innermost.
    """
    said = [i for i, line in enumerate(lines) if line.startswith("error: ")]
    traced = [i for i, line in enumerate(lines) if line.startswith("Traceback ")]
    if not traced or (said and said[-1] > traced[-1]):
        return lines[said[-1]] if said else ""
    frames, raised = [], ""
    for line in lines[traced[-1] + 1 :]:
        if frame := FRAME.match(line.strip()):
            frames.append(frame.groups())
        elif not line.startswith(" ") and RAISED.fullmatch(line):
            raised = line
            break
    own = [f.groups() for line in lines if (f := FRAME.match(line.strip())) and "/own/" in f[1]]
    where = (own or frames)[-1:]
    places = [f" [{_short(file)}, line {number}]" for file, number in where]
    return f"error: {raised or 'an exception'}{''.join(places)}"


def _short(file):
    here = f"{Path.cwd()}/"
    return file.removeprefix(here)
