"""The page: one file that needs no other, no server and no network.

All that can be read stands in it as HTML, so that it can be printed, searched and read aloud, also
where scripts are off. Its script adds what HTML cannot do: one paper at a time, where a cell came
from, the search, and files to keep.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from fedreact.claims.contract import OWN
from fedreact.report import origins, plots
from fedreact.report.claims import ClaimReport
from fedreact.report.content import PaperReport, summary
from fedreact.report.sources import ReportSource

TEMPLATES = Path(__file__).with_name("templates")


def page(papers: Sequence[PaperReport], source: ReportSource) -> str:
    """Fill the template.

    Parameters
    ----------
    papers
        What :func:`fedreact.report.content.read` gives.
    source
        The scale, the files of the papers, and the datasets.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    tables = [table for paper in papers for table in paper.tables]
    claims = [claim for paper in papers for claim in paper.all_claims]
    metric, compared = most_compared(claims)
    files = {
        path.name: path.read_text(encoding="utf-8")
        for table in tables
        for path in (table.csv, table.csv.with_suffix(".tex"))
    }
    return environment.get_template("page.html.j2").render(
        papers=papers,
        scale=source.scale,
        about=source.about,
        summary=[line.partition(":") for line in summary(source.papers)],
        datasets=source.datasets,
        total={
            "cells": sum(paper.n_cells for paper in papers),
            "tables": len(tables),
            "figures": sum(len(paper.figures) for paper in papers),
            "claims": len(claims),
            "own": sum(bool(OWN.match(claim.source)) for claim in claims),
            "verdicts": summed([paper.verdicts for paper in papers]),
            "published": sum(sum(paper.verdicts.values()) for paper in papers),
            "nearly": sum(paper.n_nearly for paper in papers),
            "published_papers": sum(not paper.own for paper in papers),
            "outcomes": summed([paper.outcomes for paper in papers]),
        },
        commits=origins.commits(tables),
        metric=metric,
        effects=Markup(plots.effects(compared)) if compared else "",
        n_effects=len(compared),
        forest=lambda line, most: Markup(plots.forest_line(line, most)),
        forest_axis=lambda most: Markup(plots.forest_axis(most)),
        largest=lambda group: plots.largest(c.whole for c in group),
        symbol=lambda outcome: Markup(
            f'<svg class="symbol" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">'
            f"{plots.mark(outcome, 6, 6, 4)}</svg>"
        ),
        details=packed({**origins.packed(tables), "files": files}),
        style=Markup((TEMPLATES / "style.css").read_text(encoding="utf-8")),
        script=Markup((TEMPLATES / "page.js").read_text(encoding="utf-8")),
    )


def packed(content: Any) -> Markup:
    """Write JSON that may stand in a page's script element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def summed(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add the counts of all papers."""
    names = dict.fromkeys(name for one in counts for name in one)
    return {name: sum(one.get(name, 0) for one in counts) for name in names}


def most_compared(claims: Sequence[ClaimReport]) -> tuple[str, list[ClaimReport]]:
    """Return the metric of most claims with a published difference, and these claims."""
    by_metric: dict[str, list[ClaimReport]] = {}
    for claim in claims:
        if claim.whole.published_text:
            by_metric.setdefault(claim.metric, []).append(claim)
    if not by_metric:
        return "", []
    return max(by_metric.items(), key=lambda item: len(item[1]))
