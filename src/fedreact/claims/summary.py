"""What holds and what does not, in at most five lines: for the end of a run, and the report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact.claims import judged, render
from fedreact.claims.contract import OWN
from fedreact.claims.contrasts import OUTCOMES
from fedreact.reading import read_yaml

NAMED = {"holds": 2, "reversed": 2, "negligible": 1, "undecided": 1}
"""Claims that are named at most, by outcome, in the order of the lines."""
HEADINGS = {
    "holds": "Holds most clearly:",
    "reversed": "Reversed most clearly:",
    "negligible": "Too small to matter, for example:",
    "undecided": "Undecided, for example:",
}


def summary_lines(claims_csv: Path, papers: Path) -> list[str]:
    """Sum up what was judged.

    Parameters
    ----------
    claims_csv
        Of one paper or of several.
    papers
        The folder with ``<paper>/claims.yaml`` and ``<paper>/paper.yaml``.

    Returns
    -------
    list of str
        A line of counts; then one for each outcome that occurs, with the claims that show it most
        clearly: those whose interval begins most margins away from 0, from different tables.
        Claims that no paper makes are counted apart, and named only where there are no others.
    """
    table = judged.read(claims_csv)
    names = list(dict.fromkeys(table["paper"]))
    claims = {paper: read_yaml(papers / paper / "claims.yaml") for paper in names}
    about = {paper: read_yaml(papers / paper / "paper.yaml") for paper in names}
    return sum_up(table, claims, {paper: _called(one) for paper, one in about.items()})


def sum_up(
    table: pd.DataFrame,
    claims: Mapping[str, Mapping[str, Mapping[str, Any]]],
    called: Mapping[str, str],
) -> list[str]:
    """Do as :func:`summary_lines` does, on what it reads.

    Parameters
    ----------
    table
        What was judged.
    claims
        Entries by paper and name.
    called
        What each paper is called where there are several.
    """
    if table.empty:
        return []
    names = list(dict.fromkeys(table["paper"]))
    own = of_no_paper(table, claims)
    lines = [_counted(table, own)]
    named = table if own.all() else table[~own]
    decisive = sorted(_decisive(named), key=lambda line: -_clarity(line))
    for outcome, most in NAMED.items():
        of_tables: dict[Any, Any] = {}
        for line in decisive:
            if line["outcome"] == outcome:
                entry = claims[line["paper"]][line["claim"]]
                of_tables.setdefault((line["paper"], entry["table"]), (entry["claim"], line))
        texts = []
        for (paper, _), (claim, line) in list(of_tables.items())[:most]:
            before = f"{called[paper]}: " if len(names) > 1 else ""
            texts.append(f"{before}{claim.removesuffix('.')} ({_difference(line)}).")
        if texts:
            lines.append(f"{HEADINGS[outcome]} {' '.join(texts)}")
    return lines


def of_no_paper(table: pd.DataFrame, claims: Mapping[str, Mapping[str, Mapping]]) -> pd.Series:
    """Say of each line whether no paper makes its claim; ``claims`` are by paper and name."""
    sources = [claims[p][c]["source"] for p, c in zip(table["paper"], table["claim"])]
    return pd.Series([bool(OWN.match(source)) for source in sources], index=table.index)


def counts_table(table: pd.DataFrame, claims: Mapping[str, Mapping[str, Mapping]]) -> list[str]:
    """Return the claims of each paper by outcome as lines of Markdown, with their sum.

    ``claims`` are by paper and name. Claims that no paper makes have a line of their own.
    """
    own = of_no_paper(table, claims)
    parts = {str(paper): part for paper, part in table[~own].groupby("paper", sort=False)}
    if len(parts) > 1:
        parts["all papers"] = table[~own]
    parts["in no paper"] = table[own]
    shown = [name for name in OUTCOMES if (table["outcome"] == name).any()]
    lines = [render.row(["claims", "judged", *shown]), "|---" * (len(shown) + 2) + "|"]
    for name, part in parts.items():
        found = render.tally(part)
        numbers = [sum(found.values()), *(found[outcome] for outcome in shown)]
        if numbers[0]:
            lines.append(render.row([name, *map(str, numbers)]))
    return lines


def _counted(table, own):
    """Count claims by outcome, those that no paper makes apart."""
    if own.all():
        return f"{_count(table, 'claims')} No paper makes these claims."
    lines = [_count(table[~own], "claims")]
    if own.any():
        lines.append(f"Beside them, {_count(table[own], 'claims in no paper')}")
    return " ".join(lines)


def _count(table, what):
    found = render.tally(table)
    n, holds = sum(found.values()), found.pop("holds")
    rest = [f"{k} {render.words(name, k)}" for name, k in found.items() if k]
    return ", ".join([f"{holds} of {n} {what} {'holds' if holds == 1 else 'hold'}", *rest]) + "."


def _called(about):
    return about.get("short") or about["title"].partition(":")[0]


def _decisive(table):
    """Each claim as judged on what is taken: the line that decides, with the claim's outcome."""
    taken = table[table["reading"] == ""]
    for _, lines in taken.groupby(["paper", "claim"], sort=False):
        whole, *contrasts = lines.to_dict("records")
        several = whole["over"] == "every" and len(contrasts) > 1
        shown = render.decisive(whole, contrasts)
        yield {
            **shown,
            "outcome": whole["outcome"],
            "weakest": whole["weakest"] if several else "",
        }


def _difference(line):
    """The difference that decides, e.g. ``-0.021 against 10 clients: FLSC``."""
    text = render.signed(line["difference"], line["metric"])
    if not line["weakest"]:
        return text
    return f"at least {text}" if line["outcome"] == "holds" else f"{line['weakest']}: {text}"


def _clarity(line: Mapping[str, Any]) -> float:
    """How many margins away from 0 the interval begins; for what is small, how near it ends."""
    ends = [line["ci_low"] / line["margin"], line["ci_high"] / line["margin"]]
    if line["outcome"] == "holds" and line["relation"] != "equal":
        return ends[0]
    if line["outcome"] == "reversed" and line["relation"] != "equal":
        return -ends[1]
    farthest = float(np.max(np.abs(ends)))
    return -np.inf if np.isnan(farthest) else -farthest
