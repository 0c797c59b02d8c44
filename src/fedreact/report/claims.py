"""Claims as the report shows them: sentence, source, outcome, numbers, the cells behind each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fedreact.claims import judged, render
from fedreact.claims.contract import Claim as Asked
from fedreact.frames import records
from fedreact.metrics.grammar import load_metric
from fedreact.report.names import interval, number
from fedreact.report.tables import Table


@dataclass(frozen=True)
class Line:
    """One judged difference, positive as claimed.

    Attributes
    ----------
    difference, low, high, published, margin, detectable
        Numbers; NaN where missing.
    text
        Difference and interval.
    cells
        Identifiers in the page of the compared cells, where it shows them.
    """

    outcome: str
    difference: float
    low: float
    high: float
    published: float
    margin: float
    detectable: str
    probability: str
    text: str
    published_text: str
    at: str = ""
    left: str = ""
    right: str = ""
    cells: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True)
class Claim:
    """A claim: as judged on what is taken, its contrasts, and under the ledger's alternatives.

    Attributes
    ----------
    whole
        The difference that decides, with the claim's outcome.
    scope
        Whether that is the average or the weakest of its comparisons, and those that do not hold;
        empty if it has one only.
    """

    id: str
    name: str
    sentence: str
    source: str
    table: str
    metric: str
    whole: Line
    scope: str
    contrasts: list[Line]
    readings: list[tuple[str, Line]] = field(default_factory=list)

    @property
    def moved_by(self) -> list[tuple[str, str]]:
        """Readings under which its outcome is another, and that outcome."""
        found = [(name, line.outcome) for name, line in self.readings]
        return [(name, outcome) for name, outcome in found if outcome != self.whole.outcome]


def read(csv: Path, claims: Mapping[str, Mapping], paper: str, tables: Mapping[str, Table]):
    """Read what was judged of a paper.

    Parameters
    ----------
    csv
        What ``scripts/make_claims.py`` wrote.
    claims
        Content of its ``claims.yaml``.
    paper
        Its name.
    tables
        By the names that its claims have for them.

    Returns
    -------
    tuple
        Claims, by metric; and the sentences of those that could not be judged.
    """
    found = judged.read(csv)
    groups: dict[str, list[Claim]] = {}
    for name, given in claims.items():
        lines = found[found["claim"] == name]
        if lines.empty:
            continue
        taken = records(lines[lines["reading"] == ""])
        whole, *contrasts = taken
        asked, metric = Asked(**given), load_metric(whole["metric"])
        table = tables.get(asked.table)
        readings = [records(lines[lines["reading"] == one]) for one in _others(lines)]
        scope = render.scope(whole, contrasts) if len(contrasts) > 1 else ""
        groups.setdefault(metric.title, []).append(
            Claim(
                *(f"{paper}-claim-{name}", name, asked.claim, asked.source),
                *(table.name if table else "", metric.title, _decisive(taken, metric), scope),
                [_line(each, metric, _cells(each, asked, table)) for each in contrasts],
                [(of[0]["reading"], _decisive(of, metric)) for of in readings],
            )
        )
    there = set(found["claim"])
    return groups, [given["claim"] for name, given in claims.items() if name not in there]


def _others(lines):
    """Readings other than what is taken."""
    return [one for one in dict.fromkeys(lines["reading"]) if one]


def _decisive(lines, metric):
    """The difference that decides a claim under one reading, with the claim's outcome."""
    whole, *contrasts = lines
    shown = render.decisive(whole, contrasts)
    return _line({**shown, "outcome": whole["outcome"], "at": "", "left": "", "right": ""}, metric)


def _line(line: Mapping[str, Any], metric, cells=(None, None)) -> Line:
    d = metric.decimals + 1
    text, ci = number(line["difference"], d, "+"), interval(line["ci_low"], line["ci_high"], d, "+")
    return Line(
        *(line["outcome"], line["difference"], line["ci_low"], line["ci_high"]),
        *(line["published"], line["margin"], number(line["detectable"], d)),
        *(number(line["probability"], 3), f"{text} ({ci})" if ci else text),
        *(number(line["published"], d, "+"), line["at"], line["left"], line["right"], cells),
    )


def _cells(line, asked, table):
    """Where in the page the two cells stand that are compared."""
    if table is None:
        return None, None
    places = {(x["row"], x["column"], x["metric"]): i for i, x in enumerate(table.lines)}
    found = []
    for label in (line["left"], line["right"]):
        place = (line["at"], label) if asked.compare == "columns" else (label, line["at"])
        at = places.get((*place, line["metric"]))
        found.append(None if at is None else f"{table.name}-{at}")
    return tuple(found)
