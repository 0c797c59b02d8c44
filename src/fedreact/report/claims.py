"""Claims as the report shows them: sentence, source, outcome, numbers, the cells behind each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact.claims import judged, render
from fedreact.claims.contract import Claim
from fedreact.frames import records
from fedreact.metrics.contract import Metric
from fedreact.metrics.grammar import load_metric
from fedreact.report.names import interval, number
from fedreact.report.tables import Table


@dataclass(frozen=True)
class JudgedDifference:
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
class ClaimReport:
    """A claim: as judged by default, its contrasts, and as judged under the ledger's alternatives.

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
    whole: JudgedDifference
    scope: str
    contrasts: list[JudgedDifference]
    readings: list[tuple[str, JudgedDifference]] = field(default_factory=list)

    @property
    def moved_by(self) -> list[tuple[str, str]]:
        """Readings under which its outcome is another, and that outcome."""
        outcomes = [(name, line.outcome) for name, line in self.readings]
        return [(name, outcome) for name, outcome in outcomes if outcome != self.whole.outcome]


def read(
    csv: Path, claims: Mapping[str, Mapping[str, Any]], paper: str, tables: Mapping[str, Table]
) -> tuple[dict[str, list[ClaimReport]], list[str]]:
    """Read the judged claims of a paper.

    Parameters
    ----------
    csv
        What ``scripts/make_claims.py`` wrote.
    claims
        Content of its ``claims.yaml``.
    paper
        Its name.
    tables
        Its tables by their names in ``claims.yaml``.

    Returns
    -------
    tuple
        Claims, by metric; and the sentences of those that could not be judged.
    """
    lines = judged.read(csv)
    groups: dict[str, list[ClaimReport]] = {}
    for name, content in claims.items():
        of_claim = lines[lines["claim"] == name]
        if of_claim.empty:
            continue
        claim = _claim(f"{paper}-claim-{name}", name, Claim(**content), of_claim, tables)
        groups.setdefault(claim.metric, []).append(claim)
    present = set(lines["claim"])
    return groups, [content["claim"] for name, content in claims.items() if name not in present]


def _claim(
    id_: str, name: str, claim: Claim, lines: pd.DataFrame, tables: Mapping[str, Table]
) -> ClaimReport:
    """Make a claim from its lines under all readings; the default reading is the empty one."""
    by_reading = {
        reading: records(lines[lines["reading"] == reading])
        for reading in dict.fromkeys(lines["reading"])
    }
    default = by_reading.pop("")
    whole, *contrasts = default
    metric, table = load_metric(whole["metric"]), tables.get(claim.table)
    return ClaimReport(
        id=id_,
        name=name,
        sentence=claim.claim,
        source=claim.source,
        table=table.name if table else "",
        metric=metric.title,
        whole=_decisive(default, metric),
        scope=render.scope(whole, contrasts) if len(contrasts) > 1 else "",
        contrasts=[_difference(line, metric, _cells(line, claim, table)) for line in contrasts],
        readings=[(reading, _decisive(other, metric)) for reading, other in by_reading.items()],
    )


def _decisive(lines: Sequence[Mapping[str, Any]], metric: Metric) -> JudgedDifference:
    """Return the difference that decides a claim under one reading, with the claim's outcome."""
    whole, *contrasts = lines
    shown = render.decisive(whole, contrasts)
    no_labels = {"at": "", "left": "", "right": ""}
    return _difference({**shown, "outcome": whole["outcome"], **no_labels}, metric)


Ids = tuple[str | None, str | None]
"""Identifiers in the page of both compared cells, where it shows them."""


def _difference(
    line: Mapping[str, Any], metric: Metric, cells: Ids = (None, None)
) -> JudgedDifference:
    d = metric.decimals + 1
    text, ci = number(line["difference"], d, "+"), interval(line["ci_low"], line["ci_high"], d, "+")
    return JudgedDifference(
        outcome=line["outcome"],
        difference=line["difference"],
        low=line["ci_low"],
        high=line["ci_high"],
        published=line["published"],
        margin=line["margin"],
        detectable=number(line["detectable"], d),
        probability=number(line["probability"], 3),
        text=f"{text} ({ci})" if ci else text,
        published_text=number(line["published"], d, "+"),
        at=line["at"],
        left=line["left"],
        right=line["right"],
        cells=cells,
    )


def _cells(line: Mapping[str, Any], claim: Claim, table: Table | None) -> Ids:
    """Return the identifiers in the page of the two cells that are compared."""
    if table is None:
        return None, None
    places = {(x["row"], x["column"], x["metric"]): i for i, x in enumerate(table.lines)}

    def id_of(label: str) -> str | None:
        row, column = line["at"], label
        if claim.compare == "rows":
            row, column = column, row
        place = places.get((row, column, line["metric"]))
        return None if place is None else f"{table.name}-{place}"

    return id_of(line["left"]), id_of(line["right"])
