"""The report as a PDF, like the appendix of a paper: claims, tables, figures, ledger.

Set by Typst, whose wheel brings all that it needs, fonts too. The document has no date and takes
no fonts of the system, so that the same results give the same bytes.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fedreact.report.content import Paper, summary
from fedreact.report.tables import Block, Table

TEMPLATE = Path(__file__).with_name("templates") / "report.typ"
WIDEST = 7
"""Columns of cells side by side on a page."""


def document(papers: Sequence[Paper], told: Mapping[str, Any], **options: Any) -> bytes:
    """Set the document.

    Parameters
    ----------
    papers
        What :func:`fedreact.report.content.read` gives.
    told
        ``scale``, what to know ``about`` it, and ``papers`` as the workflow names their files.
    options
        Of the compiler, e.g. ``format="png"`` for pictures of the pages.
    """
    import typst

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copy(TEMPLATE, root / "report.typ")
        content = {"scale": told["scale"], "about": told["about"]}
        content["summary"] = [line.partition(":") for line in summary(told["papers"])]
        content["papers"] = [_paper(paper, root) for paper in papers]
        (root / "content.json").write_text(json.dumps(content, ensure_ascii=False))
        words: dict[str, Any] = dict(options)
        if words.get("format", "pdf") == "pdf":
            words |= {"pdf_standards": "ua-1"}
        return typst.compile(root / "report.typ", root=root, ignore_system_fonts=True, **words)


def _paper(paper, root):
    return {
        "name": paper.name,
        "title": paper.title,
        "cite": paper.cite,
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


def _claim(claim):
    found = {"sentence": claim.sentence, "source": claim.source, "metric": claim.metric}
    found |= {"outcome": claim.whole.outcome, "difference": claim.whole.text}
    return found | {"published": claim.whole.published_text, "scope": claim.scope}


def _figure(figure, root):
    """As a picture: the standard of accessible documents allows no PDF within a PDF."""
    shutil.copy(figure.png, root / figure.png.name)
    return {"heading": figure.heading, "alt": figure.alt, "file": figure.png.name}


def _table(table: Table):
    blocks = [part for block in table.blocks for part in _parts(block)]
    shown = {"name": table.name, "heading": table.heading, "caption": table.caption}
    return shown | {"notes": table.notes, "blocks": blocks}


def _parts(block: Block):
    """A block in parts that are no wider than a page."""
    n = -(-len(block.columns) // WIDEST)
    for i in range(n):
        part = slice(len(block.columns) * i // n, len(block.columns) * (i + 1) // n)
        more = f", part {i + 1} of {n}" if n > 1 else ""
        rows = [[label, [_cell(cell) for cell in cells[part]]] for label, cells in block.rows]
        yield {"title": block.title + more, "columns": block.columns[part], "rows": rows}


def _cell(cell):
    if cell is None:
        return None
    shown = {"mean": cell.mean or "–", "ci": cell.ci, "published": cell.published}
    return shown | {"mark": cell.mark, "verdict": cell.verdict, "best": cell.best}
