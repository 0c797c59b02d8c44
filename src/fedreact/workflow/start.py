"""What must be so before the first step: results can be written, no file is from the future."""

import contextlib
import os
import tempfile
import time
from pathlib import Path

from fedreact.errors import UserError

AHEAD = 60.0
"""Seconds that a file's time may be ahead: clocks of file servers differ."""

OLD = 86400.0
"""Seconds after which nobody writes to a file any more."""


def check_writable(results: Path) -> None:
    """Raise a ``UserError`` unless files can be written below a folder, which is made."""
    try:
        results.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=results):
            pass
    except OSError as error:
        raise UserError(f"{results}: results cannot be written there ({error.strerror})") from None


def remove_parts(results: Path) -> None:
    """Remove what killed steps have left of files that they were writing.

    Snakemake lets two workflows run at once that share no file, so not what may be at work.
    """
    now = time.time()
    for path in results.rglob(".*.part"):
        with contextlib.suppress(OSError):  # gone by now
            if path.stat().st_mtime < now - OLD:
                path.unlink()


def mend_times(*folders: Path) -> int:
    """Set the times of files from the future to now; returns of how many.

    After a clock was set back, Snakemake would refuse every new result as older than what it was
    made from.
    """
    now, found = time.time(), 0
    for path in (path for folder in folders for path in folder.rglob("*")):
        try:
            if path.stat().st_mtime > now + AHEAD:
                os.utime(path)
                found += 1
        except OSError:  # gone by now, or another's
            continue
    return found
