"""What all commands share: errors as one line, quiet threads, records of runs."""

import argparse
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fedreact import options, parent, provenance
from fedreact.errors import UserError

log = logging.getLogger("fedreact")

WRONG = 2
"""Exit status of a script that was given something wrong."""


def run(
    main: Callable[[argparse.Namespace], None],
    parser: argparse.ArgumentParser | Callable[[], argparse.ArgumentParser],
) -> None:
    """Parse the command line, run ``main``, and turn errors meant for people into one line.

    What was read, written and taken is recorded (:mod:`fedreact.provenance`). A parser that loads
    plug-ins to know their options is given as a function that makes it.
    """
    from threadpoolctl import threadpool_limits

    with errors_as_lines(WRONG):
        sys.argv[1:] = expanded(sys.argv[1:])
        args = (parser() if callable(parser) else parser).parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    parent.watch()
    recording, succeeded = provenance.Recording(args), False
    try:
        # One thread a process: cores are used by processes, and sums keep their order.
        with errors_as_lines(WRONG), threadpool_limits(1):
            main(args)
        succeeded = True
    finally:
        recording.end(succeeded)


@contextmanager
def errors_as_lines(status: int) -> Iterator[None]:
    """Turn errors meant for people into one line, and end with this status."""
    try:
        yield
    except UserError as error:
        sys.exit(_fail(str(error), status))
    except BrokenPipeError:  # who reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(status)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        sys.exit(_fail(f"{what}{error.strerror or error}", status))
    except KeyboardInterrupt:
        sys.exit(130)


def expanded(words: Iterable[str]) -> list[str]:
    """Put the lines of a file in place of ``@file``: the system bounds the length of a word."""
    whole = []
    for word in words:
        if not word.startswith("@"):
            whole.append(word)
            continue
        try:
            whole += Path(word[1:]).read_text().splitlines()
        except OSError as error:
            raise UserError(f"{word[1:]}: {error.strerror}") from error
    return whole


def _fail(text: str, status: int) -> int:
    print(f"error: {text}", file=sys.stderr)
    return status


def subparsers(
    parser: argparse.ArgumentParser,
    dest: str,
    names: Iterable[str],
    options_of: Callable[[str], type],
) -> Iterator[argparse.ArgumentParser]:
    """A parser for each name that the first word may be.

    Only that of the name that is there has its options, so that no other plug-in is loaded.
    """
    commands = parser.add_subparsers(dest=dest, required=True, metavar=dest)
    for name in names:
        one = commands.add_parser(name)
        yield one
        if name in sys.argv[1:2]:
            options.add_arguments(one, options_of(name))


def parser(description: str) -> argparse.ArgumentParser:
    """Make a parser that shows each option's default."""
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
