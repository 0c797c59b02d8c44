"""Tables for readers, from cells: Markdown and LaTeX, published value above the rebuilt one."""

import pandas as pd

SOURCES = {"air-writing-sim": "simulated air-writing (air-writing-sim)"}
METRICS = {
    "accuracy": ("Accuracy", 3),
    "rmse": ("Root mean square error", 2),
    "rand": ("Rand score, mean over rounds", 3),
    "worst_cluster": ("Accuracy in the worst cluster, mean over rounds", 3),
    "steps": ("Gradient steps of a client's models, in all", 0),
    "gflops": ("GFLOPs of a client's training, in all", 0),
    "costs": ("Costs", 3),
}
"""Title and decimals of each metric."""

WIDEST = 5
"""Columns of a table side by side in LaTeX."""

COUNTED = ("steps", "gflops")
"""Metrics that are counted, not measured: an interval would say nothing."""


def caption(title: str, cells: pd.DataFrame, scale: str, source: str) -> str:
    """One paragraph: what, from what data, at what scale, how many seeds, compared with what."""
    rebuilt = cells.loc[cells["n_seeds"] > 0, "data"]
    data = ", ".join(SOURCES.get(name, name) for name in sorted(rebuilt.unique()))
    numbers = cells.loc[cells["n_seeds"] > 0, "n_seeds"].astype(int)
    seeds = numbers.max()
    number = f"{numbers.min()} to {seeds}" if numbers.min() < seeds else seeds
    return (
        f"{title}. Rebuilt on {data} at scale {scale}: mean over {number} "
        f"seed{'s' if seeds > 1 else ''} with 95% intervals. Published: {source}."
    )


def lines(cells: pd.DataFrame) -> list[list[str]]:
    """Rows of text, without a header: label, what the line gives, one text a column.

    An empty first text continues the label above; a line with one text opens a metric.
    """
    result = []
    columns = list(dict.fromkeys(cells["column"]))
    for metric in dict.fromkeys(cells["metric"]):
        title, decimals = METRICS[metric]
        result.append([title])
        block = cells[cells["metric"] == metric]
        for row in dict.fromkeys(block["row"]):
            by_column = block[block["row"] == row].set_index("column").reindex(columns)
            published, rebuilt = by_column[["published", "mean"]].notna().any()
            counted = metric in COUNTED
            intervals = ["" if counted else _interval(*c, decimals) for c in _bounds(by_column)]
            compared_cells = by_column["difference"].notna()
            compared = compared_cells.any()
            kinds = [
                ("published", [_number(v, decimals) for v in by_column["published"]], published),
                ("rebuilt", [_number(v, decimals) for v in by_column["mean"]], rebuilt),
                ("95% interval", intervals, any(intervals)),
                (
                    "difference",
                    [_number(v, decimals, "+") for v in by_column["difference"]],
                    compared,
                ),
                ("verdict", list(by_column["verdict"].where(compared_cells, "")), compared),
            ]
            shown = [(kind, texts) for kind, texts, show in kinds if show]
            for i, (kind, texts) in enumerate(shown):
                result.append([row if i == 0 else "", kind, *texts])
    return result


def notes(reasons: dict[str, list[str]]) -> list[str]:
    """Why rows cannot be compared, rows of the same reasons together."""
    rows_of: dict[tuple, list[str]] = {}
    for row, why in reasons.items():
        rows_of.setdefault(tuple(why), []).append(row)
    everywhere = len(rows_of) == 1
    return [
        ("Not comparable with the published values: " if everywhere else f"{'; '.join(rows)}: ")
        + "; ".join(why)
        + "."
        for why, rows in rows_of.items()
    ]


def markdown(cells: pd.DataFrame, text: str, footnotes: list[str]) -> str:
    """The table as GitHub-flavoured Markdown."""
    columns = list(dict.fromkeys(cells["column"]))
    out = [text, "", _md_row(["", "", *columns]), "|---|---|" + "---:|" * len(columns)]
    for line in lines(cells):
        if len(line) == 1:
            line = [f"**{line[0]}**", "", *[""] * len(columns)]
        out.append(_md_row(line))
    out += [f"\n{note}" for note in footnotes]
    return "\n".join(out) + "\n"


def latex(cells: pd.DataFrame, label: str, text: str, footnotes: list[str]) -> str:
    """The table as LaTeX, in parts of at most ``WIDEST`` columns: wider ones cannot be read.

    Parts, and the notes on several, are ``table`` environments with one number; they need the
    packages booktabs and graphicx.
    """
    columns = list(dict.fromkeys(cells["column"]))
    n = -(-len(columns) // WIDEST)
    parts = [columns[len(columns) * i // n : len(columns) * (i + 1) // n] for i in range(n)]
    bodies = [_tabular(cells[cells["column"].isin(part)], part) for part in parts]
    below = [rf"  \par\smallskip\raggedright {_tex(note)}" for note in footnotes]
    captions = [_tex(text), *(f"Part {i} of {n}." for i in range(2, n + 1))]
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


def _tabular(cells, columns):
    """Lines of LaTeX: a tabular of some columns, no broader than the text."""
    out = [
        r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        rf"  \begin{{tabular}}{{ll{'r' * len(columns)}}}",
        r"    \toprule",
        "    " + _tex_row(["", "", *columns]),
    ]
    for line in lines(cells):
        if len(line) == 1:
            title = rf"\multicolumn{{{len(columns) + 2}}}{{l}}{{\emph{{{_tex(line[0])}}}}} \\"
            out += [r"    \midrule", f"    {title}"]
            continue
        if line[0]:
            out.append(r"    \addlinespace")
        out.append("    " + _tex_row(line))
    return [*out, r"    \bottomrule", r"  \end{tabular}}"]


def _bounds(cells):
    return zip(cells["ci_low"], cells["ci_high"])


def _number(value, decimals, sign=""):
    return "" if pd.isna(value) else f"{value:{sign},.{decimals}f}"


def _interval(low, high, decimals):
    return "" if pd.isna(low) else f"{low:.{decimals}f}–{high:.{decimals}f}"


def _md_row(texts):
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"


def _tex_row(texts):
    return " & ".join(map(_tex, texts)) + r" \\"


def _tex(text):
    for char in "&%$#_{}":
        text = text.replace(char, rf"\{char}")
    if text[:1] in ("+", "-") and text[1:2].isdigit():
        text = f"${text[0]}${text[1:]}"
    return text.replace("–", "--")
