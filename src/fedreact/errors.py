"""The one exception meant for people, and what it says of names."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class UserError(Exception):
    """Bad input or a wrong setting; its text is one line: what, where, and what to do.

    Commands print the text without a traceback and exit with status 2 (scripts) or 1
    (``fedreact``). It stays one line whatever is quoted in it.
    """

    def __init__(self, text: str):
        super().__init__(" ".join(text.splitlines()))


class Diverged(UserError):
    """A training whose weights are no finite numbers any more."""


LISTED, NEAREST = 30, 10
"""Names that a message lists at most, and how many it lists of more: those most like the value."""


def known(names: Iterable[Any], value: Any) -> str:
    """Names with commas between them, and which of them may have been meant.

    Of more than 30 names, the ten most like ``value`` are listed, in their order, and the others
    are counted.
    """
    names = [str(name) for name in names]
    near = get_close_matches(str(value), names, n=1)
    more = ""
    if len(names) > LISTED:
        nearest = get_close_matches(str(value), names, n=NEAREST, cutoff=0)
        more = f" and {len(names) - NEAREST} more"
        names = [name for name in names if name in nearest]
    return ", ".join(names) + more + "".join(f" (did you mean {name}?)" for name in near)


def unknown(name: Any, names: Iterable[Any]) -> str:
    """Say that a name is unknown, and which are known."""
    return f"{name!r} is unknown; known: {known(names, name)}"
