"""Names of folders and files that say whose recording it is: ``{client}/{label}_{trial}.csv``."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fedreact.errors import UserError, unknown

FIELDS = ("client", "label", "trial", "tested")
YES, NO = ("1", "true", "yes", "test"), ("0", "false", "no", "train")
"""Texts that say that a series is for testing, or is not."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Turn a pattern into a regular expression of paths below a folder.

    ``{client}`` and the like stand for one part of a name, ``*`` for any text without a slash.

    Raises
    ------
    UserError
        A name between braces is unknown, or stands there twice.
    """
    texts = []
    for part in re.split(r"(\{\w*\}|\*)", pattern):
        if part == "*":
            texts.append("[^/]*")
        elif part.startswith("{"):
            name = part[1:-1]
            if name not in FIELDS:
                raise UserError(f"--pattern: {unknown(name, FIELDS)}")
            texts.append(f"(?P<{name}>[^/]+?)")
        else:
            texts.append(re.escape(part))
    try:
        return re.compile("".join(texts))
    except re.error as error:
        raise UserError(f"--pattern {pattern!r}: {error}") from None


def matched(
    files: Sequence[Path], source: str, pattern: str | None
) -> tuple[list[tuple[Path, dict[str, str]]], list[str]]:
    """Read what the names of files say.

    Returns
    -------
    files, notes
        Each file that the pattern fits, with the texts by field; sentences on how the first one was
        read, and on those that it does not fit.

    Raises
    ------
    UserError
        The pattern fits no file.
    """
    if pattern is None:
        return [(file, {}) for file in files], []
    expression, root = compiled(pattern), Path(source)
    named, others = [], []
    for file in files:
        path = _path(file, root)
        if match := expression.fullmatch(path):
            named.append((file, match.groupdict()))
        else:
            others.append(path)
    if not named:
        raise UserError(f"--pattern {pattern!r} fits no file, e.g. not {others[0]}")
    first, fields = named[0]
    said = ", ".join(f"{field} {text}" for field, text in fields.items())
    example = _path(first, root)
    notes = [f"by the pattern, {example} is of {said}"] if said else []
    return named, [*notes, *_left_out(others)]


def _path(file: Path, root: Path) -> str:
    """Return what a pattern is about: the path below the folder, or the name of a single file."""
    return file.relative_to(root).as_posix() if root.is_dir() else file.name


def _left_out(files: Sequence[str], most: int = 5) -> list[str]:
    """Say how many files of each folder do not fit the pattern, and name one of them."""
    if not files:
        return []
    folders = Counter(str(Path(file).parent) for file in files).most_common()
    where = ", ".join(
        f"{number} in {'the folder itself' if folder == '.' else folder}"
        for folder, number in folders[:most]
    )
    more = f" and {len(folders) - most} more folders" if len(folders) > most else ""
    return [f"files that the pattern does not fit, e.g. {files[0]}, are left out: {where}{more}"]


def is_tested(text: str, where: str) -> bool:
    """Read whether a series is for testing.

    Raises
    ------
    UserError
        The text says neither.
    """
    if text.strip().lower() in YES:
        return True
    if text.strip().lower() in NO:
        return False
    raise UserError(
        f"{where}: {text!r} does not say whether it is for testing; wanted test or train"
    )
