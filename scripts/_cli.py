"""What all commands share: errors as one line, atomic files, quiet threads, records of runs."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from threadpoolctl import threadpool_limits

from fedreact import provenance
from fedreact.errors import UserError

log = logging.getLogger("fedreact")

_read: list[Path] = []
_written: list[Path] = []


def run(main: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser) -> None:
    """Parse the command line, run ``main``, and turn errors meant for people into one line.

    What was read, written and taken is recorded (:mod:`fedreact.provenance`).
    """
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    recording, written = provenance.Recording(args), []
    try:
        # One thread a process: cores are used by processes, and sums keep their order.
        with threadpool_limits(1):
            main(args)
        written = _written
    except UserError as error:
        sys.exit(_fail(str(error)))
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        sys.exit(_fail(f"{what}{error.strerror or error}"))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        recording.end(_read, written)


def _fail(text: str) -> int:
    print(f"error: {text}", file=sys.stderr)
    return 2


def parser(description: str) -> argparse.ArgumentParser:
    """Make a parser that shows each option's default."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )


def note_read(*paths: Path) -> None:
    """Have files recorded as read, beside those that the command line names."""
    _read.extend(paths)


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``, renamed to it if the block succeeds.

    What stands at ``path`` is thus always whole, also after a crash or on a full disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        _written.append(path)
    finally:
        temporary.unlink(missing_ok=True)
