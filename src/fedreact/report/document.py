"""The report as a PDF, like the appendix of a paper: claims, tables, figures, ledger.

Set by Typst, whose wheel brings all that it needs, fonts too. The document has no date and takes
no fonts of the system, so that the same results give the same bytes.
"""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fedreact.report.claims import ClaimReport
from fedreact.report.content import Figure, PaperReport, summary
from fedreact.report.sources import ReportSource
from fedreact.report.tables import ReportBlock, ReportCell, Table

TEMPLATE = Path(__file__).with_name("templates") / "report.typ"
WIDEST = 7
"""Columns of cells side by side on a page."""


def document(papers: Sequence[PaperReport], source: ReportSource) -> bytes:
    """Set the document as a PDF.

    Parameters
    ----------
    papers
        What :func:`fedreact.report.content.read` gives.
    source
        The scale, and the files of the papers.
    """
    import typst

    with tempfile.TemporaryDirectory() as folder:
        file = prepare(papers, source, Path(folder))
        pdf: bytes = typst.compile(
            str(file), root=folder, ignore_system_fonts=True, pdf_standards="ua-1"
        )
        return pdf


def prepare(papers: Sequence[PaperReport], source: ReportSource, root: Path) -> Path:
    """Write all that Typst reads into a folder; returns the file to compile."""
    shutil.copy(TEMPLATE, root / "report.typ")
    content = {
        "scale": source.scale,
        "about": source.about,
        "summary": [line.partition(":") for line in summary(source.papers)],
        "papers": [_paper(paper, root) for paper in papers],
    }
    (root / "content.json").write_text(json.dumps(content, ensure_ascii=False))
    return root / "report.typ"


def _paper(paper: PaperReport, root: Path) -> dict[str, Any]:
    return {
        "name": paper.name,
        "title": paper.title,
        "cite": "" if paper.own else paper.cite,
        "own": paper.own,
        "cells": paper.n_cells,
        "outcomes": paper.outcomes,
        "verdicts": paper.verdicts,
        "differences": [vars(one) for one in paper.differences],
        "left_out": paper.left_out,
        "claims": [_claim(claim) for claim in paper.all_claims],
        "tables": [_table(table) for table in paper.tables],
        "figures": [_figure(figure, root) for figure in paper.figures],
        "ledger": [
            {"question": one.question, "taken": one.taken, "why": one.why, "effect": one.effect}
            for one in paper.ledger
        ],
    }


def _claim(claim: ClaimReport) -> dict[str, Any]:
    return {
        "sentence": claim.sentence,
        "source": claim.source,
        "metric": claim.metric,
        "outcome": claim.whole.outcome,
        "difference": claim.whole.text,
        "published": claim.whole.published_text,
        "scope": claim.scope,
    }


def _figure(figure: Figure, root: Path) -> dict[str, Any]:
    """Copy a figure as a picture: the standard of accessible documents allows no PDF inside."""
    shutil.copy(figure.png, root / figure.png.name)
    return {"heading": figure.heading, "alt": figure.alt, "file": figure.png.name}


def _table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "heading": table.heading,
        "caption": table.caption,
        "notes": table.notes,
        "blocks": [part for block in table.blocks for part in _parts(block)],
    }


def _parts(block: ReportBlock) -> Iterator[dict[str, Any]]:
    """Split a block into parts that are no wider than a page."""
    n = -(-len(block.columns) // WIDEST)
    for i in range(n):
        part = slice(len(block.columns) * i // n, len(block.columns) * (i + 1) // n)
        more = f", part {i + 1} of {n}" if n > 1 else ""
        rows = [[label, [_cell(cell) for cell in cells[part]]] for label, cells in block.rows]
        yield {"title": block.title + more, "columns": block.columns[part], "rows": rows}


def _cell(cell: ReportCell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    return {
        "mean": cell.mean or "–",
        "ci": cell.ci,
        "published": cell.published,
        "mark": cell.mark,
        "verdict": cell.verdict,
        "best": cell.best,
    }
