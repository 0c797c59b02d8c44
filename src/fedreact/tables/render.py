"""Tables for readers: Markdown and LaTeX, one line a row of the paper, and one cell explained."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

from fedreact.metrics.grammar import load_metric
from fedreact.tables import grid
from fedreact.tables.cells import NEARLY
from fedreact.tables.grid import ABSENT, CellText, Grid, GridBlock
from fedreact.tables.labels import UNNAMED, Names

T = TypeVar("T")
Row = tuple[str, list[CellText]]

WIDEST = 100
"""Characters of a line of a part of a table in LaTeX."""
TALLEST = 44
"""Lines of a part of a table in LaTeX."""
BROAD = 34
"""Characters of a row's label in LaTeX beyond which it has several lines."""
HEAD = 13
"""The same of a column's label."""


def markdown(table: Grid) -> str:
    """Write a table as GitHub-flavoured Markdown, its columns aligned for terminals."""
    parts = [table.caption]
    for block in table.blocks:
        lines = [
            ["", *block.columns],
            *([row, *[c.text for c in cells]] for row, cells in block.rows),
        ]
        lines = [[text.replace("|", r"\|") for text in line] for line in lines]
        widths = [max(3, *map(len, texts)) for texts in zip(*lines)]
        rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
        rows = [
            "| " + " | ".join(_padded(line, widths)) + " |" for line in [lines[0], rule, *lines[1:]]
        ]
        parts += [f"**{block.title}**", "\n".join(rows)]
    if table.legend:
        parts.append(table.legend)
    if table.notes:
        parts.append("\n".join(f"- {note}" for note in table.notes))
    return "\n\n".join(parts) + "\n"


def _padded(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [line[0].ljust(widths[0]), *(t.rjust(w) for t, w in zip(line[1:], widths[1:]))]


def annotated(
    line: Mapping[str, Any],
    names: Names = UNNAMED,
    source: str = "",
    reasons: Sequence[str] = (),
    file: str = "",
) -> str:
    """Explain one cell in words, a line a fact.

    Parameters
    ----------
    line
        Line of a table's csv, as ``csv.DictReader`` or pandas reads it, numbers as numbers.
    names
        Names of the data.
    source
        Source of its published value.
    reasons
        Why it is not comparable, or not judged.
    file
        File that has the line.

    Returns
    -------
    str
        The cell as its table shows it, its rebuilt and published values, verdict and reason, and
        where it came from.
    """
    metric = load_metric(line["metric"])
    cell = grid.cell_of(line, metric)
    seeds = int(line["n_seeds"] or 0)
    facts = [("cell", cell.text), ("metric", grid.title_of(metric))]
    if cell.mean:
        data = names.datasets([line["data"]])
        mean = f"{cell.mean}, mean over {seeds} seeds" if seeds > 1 else cell.mean
        facts.append(("rebuilt", f"{mean}; data: {data}"))
    if cell.spread:
        low, high = (grid.number(line[key], metric.decimals) for key in ("ci_low", "ci_high"))
        facts.append(("95% interval", f"{low} to {high}"))
    if cell.published:
        origin = f", {source}" if source else ""
        facts.append(("published", f"{cell.published}{origin}"))
        verdict = str(line["verdict"]).replace("-", " ")
        facts.append(("verdict", f"{verdict}: {'; '.join(reasons)}" if reasons else verdict))
        if line.get("grade") == NEARLY:
            facts.append(("grade", "nearly comparable; the notes of the table say what differs"))
    if file:
        facts.append(("from", file))
    width = max(len(name) for name, _ in facts) + 2
    title = f"{names.label(line['row'], line['data'])}, {line['column']} ({line['table']})"
    return "\n".join([title, *(f"{name:<{width}}{fact}" for name, fact in facts)])


def latex(table: Grid, label: str) -> str:
    r"""Write a table as LaTeX: published values below the rebuilt ones.

    Parts that a page holds, and the notes on several, are ``table`` environments with one number;
    they need the packages booktabs and graphicx.
    """
    legend = [table.legend] if table.legend else []
    below = [rf"  \par\smallskip\raggedright {tex(note)}" for note in legend + table.notes]
    parts = list(_pages(table))
    bodies = [[line for block in page for line in _tabular(block)] for page in parts]
    captions = [tex(table.caption)]
    captions += [f"Part {i} of {len(parts)}." for i in range(2, len(parts) + 1)]
    if len(parts) == 1 and sum(map(_height, parts[0])) + 3 * len(below) <= TALLEST:
        bodies[-1] += below
    elif below:
        bodies, captions = [*bodies, below], [*captions, "Legend and notes."]
    out = []
    for i, (body, words) in enumerate(zip(bodies, captions)):
        out += [r"\begin{table}", r"  \centering\footnotesize\setlength{\tabcolsep}{4pt}"]
        out += [r"  \addtocounter{table}{-1}"] if i else []
        out += [rf"  \caption{{{words}}}", *([] if i else [rf"  \label{{tab:{label}}}"])]
        out += [*body, r"\end{table}"]
    return "\n".join(out) + "\n"


def _pages(table: Grid) -> Iterator[list[GridBlock]]:
    """Group blocks by what a page holds; a block that is too broad or too tall comes in parts."""
    page: list[GridBlock] = []
    lines = len(table.caption) // WIDEST
    for block in table.blocks:
        for part in _parts(block):
            if page and lines + _height(part) > TALLEST:
                yield page
                page, lines = [], 0
            page.append(part)
            lines += _height(part)
    yield page


def _parts(block: GridBlock) -> Iterator[GridBlock]:
    """Split a block into parts that a page holds, of about as many columns and rows each."""

    def is_narrow(columns: Sequence[int]) -> bool:
        return _width(block, columns) <= WIDEST

    def is_low(rows: Sequence[Row]) -> bool:
        return _height(replace(block, rows=list(rows))) <= TALLEST

    for columns in _even(range(len(block.columns)), is_narrow):
        titles = [block.columns[i] for i in columns]
        rows = [(name, [cells[i] for i in columns]) for name, cells in block.rows]
        for part in _even(rows, is_low):
            yield GridBlock(block.title, titles, list(part))


def _even(items: Sequence[T], fits: Callable[[Sequence[T]], bool]) -> list[Sequence[T]]:
    """Split items into as few parts of about the same length as fit."""
    for n in range(1, len(items) + 1):
        bounds = [len(items) * i // n for i in range(n + 1)]
        parts = [items[first:last] for first, last in pairwise(bounds)]
        if n == len(items) or all(map(fits, parts)):
            return parts
    return []


def _width(block: GridBlock, columns: Sequence[int]) -> int:
    """Count the characters of a line: a row's label, some columns, and the gaps between them."""
    width = min(BROAD, max(len(name) for name, _ in block.rows))
    for i in columns:
        texts = [text for _, cells in block.rows for text in (_first(cells[i]), _second(cells[i]))]
        width += 2 + max(min(HEAD, len(block.columns[i])), *map(len, texts))
    return width


def _height(block: GridBlock) -> int:
    """Count the lines of a block: its title and header, and those of its rows."""
    return 7 + sum(
        (2 if len(name) > BROAD else 1) + any(_second(cell) for cell in cells)
        for name, cells in block.rows
    )


def _tabular(block: GridBlock) -> list[str]:
    """Write the lines of a tabular that is no broader than the text."""
    out = [
        rf"  \smallskip\emph{{{tex(block.title)}}}\par\smallskip",
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{l{'r' * len(block.columns)}}}",
        r"    \toprule",
        "    " + " & ".join(["", *map(_head, block.columns)]) + r" \\",
        r"    \midrule",
    ]
    for name, cells in block.rows:
        seconds = [_second(cell) for cell in cells]
        firsts = [tex(_first(cell)) for cell in cells]
        out.append("    " + " & ".join([_label(name), *firsts]) + r" \\")
        if any(seconds):
            out.append("    " + " & ".join(["", *map(tex, seconds)]) + r" \\[2pt]")
    return [*out, r"    \bottomrule", r"  \end{tabular}}", r"  \par\medskip"]


def _head(name: str) -> str:
    if len(name) <= HEAD:
        return tex(name)
    return rf"\parbox[b]{{22mm}}{{\raggedleft\strut {tex(name)}}}"


def _label(name: str) -> str:
    if len(name) <= BROAD:
        return tex(name)
    return rf"\parbox[t]{{52mm}}{{\raggedright\strut {tex(name)}\strut}}"


def _first(cell: CellText) -> str:
    """Write the upper line of a cell in LaTeX."""
    if not cell.rebuilt:
        return (f"[{cell.published}]" if cell.published else ABSENT) + cell.mark
    return f"{cell.rebuilt} {cell.against}".strip() + cell.mark


def _second(cell: CellText) -> str:
    """Write the lower line of a cell in LaTeX, if it has both a rebuilt and a published value."""
    both = cell.rebuilt and cell.published
    return f"[{cell.published}] {cell.sign}".strip() if both else ""


ESCAPES = {char: rf"\{char}" for char in "&%$#_{}"}
ESCAPES |= {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
ESCAPES |= {"<": "$<$", ">": "$>$", "|": "$|$", "–": "--", "−": "$-$", "±": r"$\pm$"}
ESCAPES |= {"≠": r"$\neq$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "×": r"$\times$"}
TEX = str.maketrans(ESCAPES)
MARK = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:,[⁰¹²³⁴⁵⁶⁷⁸⁹]+)*")
DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def tex(text: str) -> str:
    """Escape a text for LaTeX."""
    signed = text[:1] in ("+", "-") and text[1:2].isdigit()
    words = text[1:] if signed else text
    words = words.translate(TEX)
    words = MARK.sub(lambda mark: rf"\textsuperscript{{{mark[0].translate(DIGITS)}}}", words)
    return f"${text[0]}${words}" if signed else words
