"""Which claims hold and which do not, in at most five lines, for a run's end and the report."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fedreact.claims import judged, render
from fedreact.claims.contract import OWN
from fedreact.claims.contrasts import OUTCOMES
from fedreact.frames import records
from fedreact.reading import read_yaml

EntriesByPaper = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Entries of ``claims.yaml`` by paper and name."""

NAMED = {"holds": 2, "reversed": 2, "negligible": 1, "undecided": 1}
"""Claims that are named at most, by outcome, in the order of the lines."""
HEADINGS = {
    "holds": "Holds most clearly:",
    "reversed": "Reversed most clearly:",
    "negligible": "Too small to matter, for example:",
    "undecided": "Undecided, for example:",
}


def summary_lines(claims_csv: Path, papers: Path) -> list[str]:
    """Sum up judged claims.

    Parameters
    ----------
    claims_csv
        Judged claims of one paper or of several.
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
    claims: EntriesByPaper,
    called: Mapping[str, str],
) -> list[str]:
    """Sum up judged claims as :func:`summary_lines` does, from tables and entries.

    Parameters
    ----------
    table
        Judged claims.
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
        of_tables: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {}
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


def of_no_paper(table: pd.DataFrame, claims: EntriesByPaper) -> pd.Series:
    """Say of each line whether no paper makes its claim; ``claims`` are by paper and name."""
    sources = [claims[p][c]["source"] for p, c in zip(table["paper"], table["claim"])]
    return pd.Series([bool(OWN.match(source)) for source in sources], index=table.index)


def counts_table(table: pd.DataFrame, claims: EntriesByPaper) -> list[str]:
    """Return the claims of each paper by outcome as lines of Markdown, with their sum.

    ``claims`` are by paper and name. Claims that no paper makes have a line of their own.
    """
    own = of_no_paper(table, claims)
    papers = table[~own]
    parts = {name: papers[papers["paper"] == name] for name in papers["paper"].unique()}
    if len(parts) > 1:
        parts["all papers"] = papers
    parts["in no paper"] = table[own]
    shown = [name for name in OUTCOMES if (table["outcome"] == name).any()]
    lines = [render.row(["claims", "judged", *shown]), "|---" * (len(shown) + 2) + "|"]
    for name, part in parts.items():
        outcomes = render.tally(part)
        numbers = [sum(outcomes.values()), *(outcomes[outcome] for outcome in shown)]
        if numbers[0]:
            lines.append(render.row([name, *map(str, numbers)]))
    return lines


def _counted(table: pd.DataFrame, own: pd.Series) -> str:
    """Count claims by outcome, those that no paper makes apart."""
    if own.all():
        return f"{_count(table, 'claims')} No paper makes these claims."
    lines = [_count(table[~own], "claims")]
    if own.any():
        lines.append(f"Beside them, {_count(table[own], 'claims in no paper')}")
    return " ".join(lines)


def _count(table: pd.DataFrame, what: str) -> str:
    outcomes = render.tally(table)
    n, holds = sum(outcomes.values()), outcomes.pop("holds")
    rest = [f"{k} {render.words(name, k)}" for name, k in outcomes.items() if k]
    return ", ".join([f"{holds} of {n} {what} {'holds' if holds == 1 else 'hold'}", *rest]) + "."


def _called(about: Mapping[str, Any]) -> str:
    short: str | None = about.get("short")
    title: str = about["title"]
    return short or title.partition(":")[0]


def _decisive(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield each claim under the default reading: the line that decides, and its outcome."""
    default = table[table["reading"] == ""]
    for _, lines in default.groupby(["paper", "claim"], sort=False):
        whole, *contrasts = records(lines)
        several = whole["over"] == "every" and len(contrasts) > 1
        shown = render.decisive(whole, contrasts)
        yield {
            **shown,
            "outcome": whole["outcome"],
            "weakest": whole["weakest"] if several else "",
            "smallest": min(float(line["difference"]) for line in contrasts) if several else None,
        }


def _difference(line: Mapping[str, Any]) -> str:
    """Write the difference that decides, e.g. ``-0.021 against 10 clients: FLSC``."""
    text = render.signed(line["difference"], line["metric"])
    if not line["weakest"]:
        return text
    if line["outcome"] == "holds" and line["relation"] != "equal":
        return f"at least {render.signed(line['smallest'], line['metric'])}"
    return f"{line['weakest']}: {text}"


def _clarity(line: Mapping[str, Any]) -> float:
    """Return how many margins off 0 the interval begins; for small ones, how near it ends."""
    low, high = float(line["ci_low"] / line["margin"]), float(line["ci_high"] / line["margin"])
    if line["outcome"] == "holds" and line["relation"] != "equal":
        return low
    if line["outcome"] == "reversed" and line["relation"] != "equal":
        return -high
    farthest = float(np.max(np.abs([low, high])))
    return -np.inf if np.isnan(farthest) else -farthest
