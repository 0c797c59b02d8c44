"""Markdown with tables, laid out for a terminal: columns are aligned, lines fit its width."""

import re
import textwrap
from collections.abc import Iterator, Sequence

GAP = "  "
SEPARATOR = re.compile(r"\|(\s*:?-+:?\s*\|)+")
MARKED = re.compile(r"\*\*|`")


def text(markdown: str, width: int = 100) -> str:
    """Lay out Markdown for a terminal.

    Columns of a table that is wider are stacked: each part has the labels of the rows, too.

    Parameters
    ----------
    markdown
        Paragraphs, lists and tables.
    width
        Characters of a line.
    """
    out: list[str] = []
    rows: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        if line.startswith("|"):
            rows.append(line)
            continue
        if rows:
            out += _table(rows, width)
            rows = []
        plain = MARKED.sub("", line)
        after = "  " if plain.startswith(("- ", "* ")) else ""
        out += textwrap.wrap(plain, width, subsequent_indent=after) or [""]
    return "\n".join(out).rstrip() + "\n"


def _table(lines: Sequence[str], width: int) -> list[str]:
    """Lay out the lines of a table, its columns in parts that are at most ``width`` wide."""
    rows: list[list[str]] = []
    right: list[bool] = []
    for line in lines:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if SEPARATOR.fullmatch(line.strip()):
            right = [cell.endswith(":") and not cell.startswith(":") for cell in cells]
        else:
            rows.append([MARKED.sub("", cell).replace("\\|", "|") for cell in cells])
    n = max(map(len, rows))
    rows = [row + [""] * (n - len(row)) for row in rows]
    right += [False] * (n - len(right))
    wide = [max(len(row[i]) for row in rows) for i in range(n)]
    labels = right.index(True) if True in right else 1
    parts = _parts(wide, labels, width)
    return [
        line
        for k, part in enumerate(parts)
        for line in [*([""] if k else []), *_aligned(rows, part, wide, right)]
    ]


def _parts(wide: Sequence[int], labels: int, width: int) -> list[list[int]]:
    """Choose the columns of each part of a table; all parts have the labels of its rows."""
    first = list(range(labels))
    start = sum(wide[i] + len(GAP) for i in first)
    parts, used = [list(first)], start
    for i in range(labels, len(wide)):
        if used + wide[i] > width and len(parts[-1]) > labels:
            parts.append(list(first))
            used = start
        parts[-1].append(i)
        used += wide[i] + len(GAP)
    return parts


def _aligned(
    rows: Sequence[Sequence[str]], part: Sequence[int], wide: Sequence[int], right: Sequence[bool]
) -> Iterator[str]:
    for k, row in enumerate(rows):
        cells = [row[i].rjust(wide[i]) if right[i] else row[i].ljust(wide[i]) for i in part]
        yield GAP.join(cells).rstrip()
        if k == 0:
            yield "─" * len(GAP.join(cells))
