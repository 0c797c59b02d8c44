"""What a run of the workflow prints: a line that is rewritten, errors, and at its end a summary.

Everything else is in log files: of each step, and of Snakemake. With ``FEDREACT_VERBOSE=1`` in the
environment (``make tables VERBOSE=1``), ``--verbose`` or ``--printshellcmds`` all of it is printed.
"""

import logging
import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TextIO

from fedreact.workflow import failures

VERBOSE = "FEDREACT_VERBOSE"
"""The environment's variable that has everything printed."""

QUIET = "FEDREACT_QUIET"
"""The environment's variable by which steps know that only their logs have what they print."""

ERRORS = 3
"""So many errors are printed as they happen; the summary has the others."""

NOTHING = "Nothing to be done"

BEFORE = (
    "Assuming unrestricted",
    "Building DAG",
    "Using shell",
    "Provided ",
    "Conda environments",
    "Singularity containers",
    "Group jobs",
)
"""What Snakemake says before the first step and no user needs; it says more to other commands."""

EVENTS = ("run_info", "resources_info", "workflow_started")
"""Kinds of records of Snakemake of which the same is true."""

ENDINGS = (
    "Exiting because a job execution failed",
    "At least one job did not complete successfully",
)
"""What it says after errors; the summary says more."""


def is_quiet(output: Any) -> bool:
    """Whether little is to be printed.

    Parameters
    ----------
    output
        Snakemake's settings of what is printed: whether all of it, or commands, or what would run.
    """
    if os.environ.get(VERBOSE, "") not in ("", "0", "no"):
        return False
    return not (output.dryrun or output.verbose or output.printshellcmds)


class Console:
    """The terminal or file that a run prints to.

    Parameters
    ----------
    quiet
        Whether what Snakemake and the steps say is for log files only.
    targets
        Names that may be asked for; a function, since they are known late.
    ending
        Lines of the summary; asked for where nothing is to be done.
    stream
        Standard output, unless another is given.

    Attributes
    ----------
    live
        Whether the stream is a terminal, in which a line can be rewritten.
    started
        Whether steps are run: from then on Snakemake says nothing but warnings and errors.
    """

    def __init__(
        self,
        quiet: bool,
        targets: Callable[[], Iterable[str]] = tuple,
        ending: Callable[[], list[str]] = list,
        stream: TextIO | None = None,
    ):
        self.quiet, self.targets, self.ending = quiet, targets, ending
        self.stream = stream or sys.stdout
        dumb = os.environ.get("TERM", "dumb") == "dumb"
        self.live = quiet and self.stream.isatty() and not dumb
        self.started = False
        self._errors: set[str] = set()
        self._shown, self._lock = False, threading.RLock()
        os.environ.pop(QUIET, None)
        if quiet:
            os.environ[QUIET] = "yes"

    # ---- What is printed ------------------------------------------------------------------------

    def say(self, *lines: str) -> None:
        """Print lines that stay."""
        with self._lock:
            self.clear()
            for line in lines:
                print(line, file=self.stream)
            self.stream.flush()

    def rewrite(self, line: str) -> None:
        """Print a line of a terminal in place of the one before, as far as there is room."""
        with self._lock:
            width = shutil.get_terminal_size().columns - 1
            cut = line if len(line) <= width else f"{line[: width - 3]}..."
            self.stream.write(f"\r\x1b[K{cut}")
            self.stream.flush()
            self._shown = True

    def clear(self) -> None:
        """Remove the line that is rewritten."""
        with self._lock:
            if self._shown:
                self.stream.write("\r\x1b[K")
                self.stream.flush()
            self._shown = False

    # ---- What Snakemake says --------------------------------------------------------------------

    def listen(self, logger: logging.Logger) -> None:
        """Print of what Snakemake logs only what a user needs; its log file has all of it."""
        for handler in logger.handlers:
            if not isinstance(handler, logging.FileHandler):
                handler.addFilter(self.lets_through)
            elif self.quiet:
                handler.filters.clear()
        if self.quiet:
            logger.addHandler(_Errors(self))

    def lets_through(self, record: logging.LogRecord) -> bool:
        """Whether a record is printed; some are put into other words."""
        printed = failures.in_words(record, self.targets())
        if self.quiet and printed:
            printed = self._is_needed(record)
            if printed and record.getMessage().startswith(NOTHING):
                record.msg = "\n".join([f"{NOTHING}: all of it is there.", *self.ending()])
        if printed:
            self.clear()
        return printed

    def _is_needed(self, record):
        said = record.getMessage()
        if record.levelno >= logging.WARNING:
            return not any(ending in said for ending in ENDINGS)
        event = getattr(record, "event", None)
        return not (self.started or event in EVENTS or said.startswith(BEFORE))

    def failed(self, logs: Iterable[str]) -> None:
        """Say that a step has failed, and why its log says so; once, if others say the same."""
        failed = [log for log in map(Path, logs) if not failures.is_interrupted(log)]
        for line in map(failures.line, failed):
            reason = line.rpartition("  (")[0]
            if reason not in self._errors and len(self._errors) < ERRORS:
                self.say(line)
            self._errors.add(reason)


class _Errors(logging.Handler):
    """Has a console say which steps fail, while others go on."""

    def __init__(self, console):
        super().__init__()
        self.console = console

    def emit(self, record):
        if getattr(record, "event", None) == "job_error":
            self.console.failed(log.split(" (")[0] for log in record.log[:1])
