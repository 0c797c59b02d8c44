"""Remove the lock of a run that was killed, so that the next one goes on from there."""

import os
import subprocess
import sys
from pathlib import Path

LOCKS = Path(".snakemake/locks")


def remove_stale() -> bool:
    """Unlock the current folder if it is locked and no Snakemake runs in it.

    Returns whether there was such a lock.
    """
    if not (LOCKS.is_dir() and any(LOCKS.iterdir())) or is_running():
        return False
    words = [sys.executable, "-m", "snakemake", "--unlock"]
    subprocess.run(words, check=False, capture_output=True)
    return True


def is_running(processes: Path = Path("/proc")) -> bool:
    """Tell whether a process of Snakemake has the current folder as its own.

    Where processes cannot be seen, one may run.
    """
    if not processes.is_dir():
        return True
    here = Path.cwd()
    for process in processes.glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if not any(b"snakemake" in word for word in words[:4]):
                continue
            if process.name != str(os.getpid()) and (process / "cwd").resolve() == here:
                return True
        except OSError:  # it has ended, or is another user's
            continue
    return False
