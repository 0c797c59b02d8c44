"""The report: all tables, figures and the ledger of some papers on one page without other files."""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd

from fedreact.tables import render
from fedreact.tables.origins import SUFFIX

TEMPLATE = Path(__file__).with_name("report.html.j2")


def page(papers: Sequence[Mapping[str, Any]], scale: str, data: str) -> str:
    """Fill the template.

    Parameters
    ----------
    papers
        Of each: ``title``, csv files of its ``tables``, its ``figures`` (titles by their png
        files),
        ``differences`` from its protocol, and its ``ledger``.
    """
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    filled = [
        {
            **paper,
            "tables": {Path(csv).stem: shown(Path(csv)) for csv in paper["tables"]},
            "figures": {
                Path(png).stem: {
                    "title": title,
                    "png": base64.b64encode(Path(png).read_bytes()).decode(),
                }
                for png, title in paper["figures"].items()
            },
        }
        for paper in papers
    ]
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(papers=filled, scale=scale, data=data)


def shown(csv: Path) -> dict[str, Any]:
    """What the page shows of one table."""
    found = pd.read_csv(csv)
    origins = json.loads(csv.with_suffix(SUFFIX).read_text())
    return {
        "caption": origins["caption"],
        "columns": list(dict.fromkeys(found["column"])),
        "lines": render.lines(found, origins["reference"]),
        "notes": origins["notes"],
    }
