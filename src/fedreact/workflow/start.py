"""Checks before the first step: results can be written, no file is dated in the future."""

import contextlib
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


def check_times(*folders: Path) -> None:
    """Raise a ``UserError`` if a file is dated in the future, as after a clock was set back.

    Snakemake would refuse every new result as older than what it was made from.
    """
    latest = time.time() + AHEAD
    for path in (path for folder in folders for path in folder.rglob("*")):
        try:
            late = path.stat().st_mtime > latest
        except OSError:  # gone by now, or another's
            continue
        if late:
            named = " ".join(map(str, folders))
            now = time.strftime("%Y%m%d%H%M.%S")  # one time for all, so that no input is newer
            raise UserError(
                f"{path} is dated in the future (was the clock set back?); date such files now: "
                f"find {named} -newermt now -exec touch -t {now} {{}} +"
            )
