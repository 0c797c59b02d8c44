"""Tables for a terminal, whose last column is wrapped."""

import shutil
import textwrap
from collections.abc import Sequence


def text(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Align columns, and wrap the last one to the width of the terminal."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head) - 1)]
    left = sum(widths) + 2 * len(widths)
    room = max(shutil.get_terminal_size((100, 24)).columns - left, 24)
    printed = []
    for line in lines:
        first = "".join(cell.ljust(width + 2) for cell, width in zip(line, widths))
        parts = textwrap.wrap(line[-1], room) or [""]
        printed += [(first + parts[0]).rstrip(), *(" " * left + part for part in parts[1:])]
    return "\n".join(printed)
