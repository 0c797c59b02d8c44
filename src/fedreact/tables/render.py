"""Tables for readers, from cells: Markdown and LaTeX, published value above the rebuilt one."""

from collections.abc import Sequence

import pandas as pd

from fedreact import plugins
from fedreact.tables.cells import ALL
from fedreact.tables.published import NOTHING

SOURCES = {"air-writing-sim": "simulated air-writing (air-writing-sim)"}
JUDGED = ("reproduced", "differs", "undecided")
WIDEST = 5
"""Columns of a table side by side in LaTeX."""


def caption(title: str, cells: pd.DataFrame, scale: str, source: str, when: str = ALL) -> str:
    """One paragraph: what, from what data, at what scale, how many seeds, compared with what."""
    rebuilt = cells.loc[cells["n_seeds"] > 0, "data"]
    data = ", ".join(SOURCES.get(name, name) for name in sorted(rebuilt.unique()))
    numbers = cells.loc[cells["n_seeds"] > 0, "n_seeds"].astype(int)
    seeds = numbers.max()
    number = f"{numbers.min()} to {seeds}" if numbers.min() < seeds else seeds
    return (
        f"{title}. Rebuilt on {data} at scale {scale}: mean over {number} "
        f"seed{'s' if seeds > 1 else ''} with 95% intervals; of each seed, the mean over clients "
        f"{when}. {_published(source)}"
    ).rstrip()


def caption_of_study(title: str, source: str) -> str:
    """What a table of a study is, and what it is compared with."""
    return f"{title}. {_published(source)}".rstrip()


def _published(source):
    return "" if source == NOTHING["source"] else f"Published: {source}."


def lines(cells: pd.DataFrame, reference: str | None = None) -> list[list[str]]:
    """Rows of text, without a header: label, what the line gives, one text a column.

    An empty first text continues the label above; a line with one text opens a metric. Where rows
    are of several datasets, each says its own. ``reference`` is what gaps are to.
    """
    result = []
    rebuilt = cells[cells["n_seeds"] > 0]
    several = rebuilt["data"].nunique() > 1
    data_of = rebuilt.groupby("row")["data"].agg(lambda data: ", ".join(dict.fromkeys(data)))
    columns = list(dict.fromkeys(cells["column"]))
    for metric in dict.fromkeys(cells["metric"]):
        shown = plugins.load("metrics", metric, "METRIC")
        result.append([shown.title])
        block = cells[cells["metric"] == metric]
        for row in dict.fromkeys(block["row"]):
            by_column = block[block["row"] == row].set_index("column").reindex(columns)
            compared = reference if shown.better else None  # of what has no better, no gap
            kinds = _kinds(by_column, shown.decimals, shown.counted, compared)
            given = [(kind, texts) for kind, texts in kinds if any(texts)]
            label = f"{row} [{data_of[row]}]" if several and row in data_of else row
            for i, (kind, texts) in enumerate(given):
                result.append([label if i == 0 else "", kind, *texts])
    return result


def _kinds(cells, decimals, counted, reference):
    """Lines of a row: what each gives, and its texts; empty ones are not shown."""

    def numbers(name, sign=""):
        return [_number(value, decimals, sign) for value in cells[name]]

    def intervals(name, sign="", judged_by=None):
        found = zip(cells[f"{name}_low"], cells[f"{name}_high"])
        shown = cells[judged_by].isin(JUDGED) if judged_by else [True] * len(cells)
        return [_interval(*each, decimals, sign) if on else "" for each, on in zip(found, shown)]

    def verdicts(name, of):
        return list(cells[name].where(cells[of].notna(), "").fillna(""))

    yield "published", numbers("published")
    yield "rebuilt", numbers("mean")
    if not counted:
        yield "95% interval", intervals("ci")
    yield "difference", numbers("difference", "+")
    yield "one further seed", intervals("pi", judged_by="verdict")
    yield "verdict", verdicts("verdict", "difference")
    if reference and not counted:
        yield f"minus {reference}, published", numbers("gap_published", "+")
        yield f"minus {reference}, rebuilt", numbers("gap", "+")
        yield "its 95% interval", intervals("gap", "+")
        yield "one further seed", intervals("gap_pi", "+", "gap_verdict")
        yield "verdict", verdicts("gap_verdict", "gap_published")


def notes(
    reasons: dict[str, list[str]],
    skipped: dict[str, list[str]] | None = None,
    doubts: dict[str, list[str]] | None = None,
) -> list[str]:
    """Why rows and single values cannot be compared, and cells are left out; those of the same
    reasons together."""
    rows = _told(reasons, "Not comparable with the published values: ")
    left_out = [f"Left out: {line}" for line in _told(skipped or {}, "")]
    return [*rows, *_told(doubts or {}, ""), *left_out]


def limits(cells: pd.DataFrame, metrics: Sequence[str]) -> list[str]:
    """What a table cannot show of what was asked of it, and what its intervals cannot say."""
    found, there = [], set(cells["metric"])
    if absent := [plugins.load("metrics", m, "METRIC").title for m in metrics if m not in there]:
        found.append(f"Left out: {'; '.join(absent)}: not defined of this data, or not found here.")
    if cells["n_seeds"].max() == 2:
        found.append("Of two seeds an interval says next to nothing.")
    return found


def findings(of_rows: dict[str, list[str]]) -> list[str]:
    """What makes rows mean nothing; rows of the same findings together."""
    rows_of: dict[str, list[str]] = {}
    for row, sentences in of_rows.items():
        for sentence in sentences:
            rows_of.setdefault(sentence, []).append(row)
    return [f"Beware, {'; '.join(rows)}: {sentence}" for sentence, rows in rows_of.items()]


def _told(reasons, everywhere_is):
    rows_of: dict[tuple, list[str]] = {}
    for row, why in reasons.items():
        rows_of.setdefault(tuple(why), []).append(row)
    everywhere = len(rows_of) == 1 and everywhere_is
    return [
        (everywhere_is if everywhere else f"{'; '.join(rows)}: ") + "; ".join(why) + "."
        for why, rows in rows_of.items()
    ]


def markdown(
    cells: pd.DataFrame, text: str, footnotes: list[str], reference: str | None = None
) -> str:
    """The table as GitHub-flavoured Markdown."""
    columns = list(dict.fromkeys(cells["column"]))
    out = [text, "", _md_row(["", "", *columns]), "|---|---|" + "---:|" * len(columns)]
    for line in lines(cells, reference):
        if len(line) == 1:
            line = [f"**{line[0]}**", "", *[""] * len(columns)]
        out.append(_md_row(line))
    out += [f"\n{note}" for note in footnotes]
    return "\n".join(out) + "\n"


def latex(
    cells: pd.DataFrame,
    label: str,
    text: str,
    footnotes: list[str],
    reference: str | None = None,
) -> str:
    """The table as LaTeX, in parts of at most ``WIDEST`` columns: wider ones cannot be read.

    Parts, and the notes on several, are ``table`` environments with one number; they need the
    packages booktabs and graphicx.
    """
    columns = list(dict.fromkeys(cells["column"]))
    n = -(-len(columns) // WIDEST)
    parts = [columns[len(columns) * i // n : len(columns) * (i + 1) // n] for i in range(n)]
    bodies = [_tabular(cells[cells["column"].isin(part)], part, reference) for part in parts]
    below = [rf"  \par\smallskip\raggedright {tex(note)}" for note in footnotes]
    captions = [tex(text), *(f"Part {i} of {n}." for i in range(2, n + 1))]
    if n == 1 or not footnotes:
        bodies[-1] += below
    else:  # a page holds either
        bodies, captions = [*bodies, below], [*captions, "Notes."]
    out = []
    for i, (body, words) in enumerate(zip(bodies, captions)):
        out += [r"\begin{table}", r"  \centering\footnotesize\setlength{\tabcolsep}{4pt}"]
        out += [r"  \addtocounter{table}{-1}"] if i else []
        out += [rf"  \caption{{{words}}}", *([] if i else [rf"  \label{{tab:{label}}}"])]
        out += [*body, r"\end{table}"]
    return "\n".join(out) + "\n"


def _tabular(cells, columns, reference):
    """Lines of LaTeX: a tabular of some columns, no broader than the text."""
    out = [
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"    \toprule",
        "    " + _tex_row(["", "", *columns]),
    ]
    for line in lines(cells, reference):
        if len(line) == 1:
            title = rf"\multicolumn{{{len(columns) + 2}}}{{l}}{{\emph{{{tex(line[0])}}}}} \\"
            out += [r"    \midrule", f"    {title}"]
            continue
        if line[0]:
            out.append(r"    \addlinespace")
        out.append("    " + _tex_row(line))
    return [*out, r"    \bottomrule", r"  \end{tabular}}"]


def _number(value, decimals, sign=""):
    return "" if pd.isna(value) else f"{value:{sign},.{decimals}f}"


def _interval(low, high, decimals, sign=""):
    dash = " to " if sign else "–"
    return "" if pd.isna(low) else f"{low:{sign}.{decimals}f}{dash}{high:{sign}.{decimals}f}"


def _md_row(texts):
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"


def _tex_row(texts):
    return " & ".join(map(tex, texts)) + r" \\"


def tex(text: str) -> str:
    """Escape a text for LaTeX."""
    for char in "&%$#_{}":
        text = text.replace(char, rf"\{char}")
    if text[:1] in ("+", "-") and text[1:2].isdigit():
        text = f"${text[0]}${text[1:]}"
    return text.replace("–", "--")
