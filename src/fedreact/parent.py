"""A step of the workflow ends when the workflow is gone.

Killing Snakemake alone would leave its steps running, and a new start would train them twice.
"""

import logging
import os
import signal
import threading
import time
from pathlib import Path

log = logging.getLogger("fedreact")

STEP = "FEDREACT_STEP"
"""Set by the shell of a step (``workflow/step.sh``): only there somebody waits for the result."""

FOR = "FEDREACT_FORK_FOR"
"""The process that a fork stands for (:mod:`fedreact.workflow.forks`): whose descent counts."""

EVERY = 2.0
"""Seconds between two looks."""


def watch() -> None:
    """Interrupt this process once the one that started its shell is gone."""
    if STEP in os.environ:
        # Not SIGINT, which shells have background processes ignore.
        signal.signal(signal.SIGUSR1, _stop)
        before = line_of_descent()
        threading.Thread(target=_wait, args=(before,), daemon=True).start()


def _wait(before):
    while line_of_descent() == before:
        time.sleep(EVERY)
    log.error("error: the workflow that started this step is gone; run the same command again")
    main = threading.main_thread().ident
    if main is not None:  # it has started
        signal.pthread_kill(main, signal.SIGUSR1)


def _stop(number, frame):
    raise KeyboardInterrupt


def line_of_descent() -> tuple[int, int]:
    """Processes that started this one and that one: shell, and Snakemake; 0 if it is not known."""
    parent = _parent(int(os.environ[FOR])) if FOR in os.environ else os.getppid()
    return parent, _parent(parent)


def _parent(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:  # gone by now, or no /proc
        return 0
    return int(stat.rsplit(")", 1)[1].split()[1])
