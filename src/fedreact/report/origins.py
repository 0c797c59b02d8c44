"""Where each cell came from, as the page holds it: small enough for all cells of all papers.

Texts and paths stand once and are cited by their places. Of the records beside the tables all is
kept that is the same wherever the same results are made: files and their SHA-256, options, digests
of code, commits, packages. Times, memory and machines are not, so that the same results give the
same page; ``scripts/explain_cell.py`` prints these too.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fedreact.metrics.grammar import load_metric
from fedreact.report.names import interval, number
from fedreact.report.tables import Table
from fedreact.tables import origins

VARYING = {"seed", "workers", "device", "checkpoint", "output", "threads"}
"""Options that stand elsewhere, or on which results do not depend."""


class Texts:
    """Texts by their places."""

    def __init__(self):
        self.places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Place of a text."""
        return self.places.setdefault(text, len(self.places))

    @property
    def all(self) -> list[str]:
        """Texts in the order of their places."""
        return list(self.places)


def packed(tables: Sequence[Table]) -> dict[str, Any]:
    """What the page's script reads when a cell is asked for.

    Returns
    -------
    dict
        ``texts``; ``records`` by the place of a result's path: ``by`` (script), ``code``,
        ``options``, ``from`` (results and other files), ``sha``, ``commit``; and ``tables``: of
        each ``csv`` and ``cells``.
    """
    texts = Texts()
    records: dict[int, dict[str, Any]] = {}
    packed_tables = {}
    for table in tables:
        for path, record in table.origins["records"].items():
            if record and "outputs" in record:
                records.setdefault(texts(path), _record(path, record, texts))
        cells = [
            _cell(table, line, of, texts)
            for line, of in zip(table.lines, table.origins["cells"], strict=True)
        ]
        packed_tables[table.name] = {"csv": str(table.csv), "cells": cells}
    return {"texts": texts.all, "records": records, "tables": packed_tables}


def commits(tables: Sequence[Table]) -> list[str]:
    """Commits of the code that made the results, and whether files differed from them."""
    found: dict[str, None] = {}
    for table in tables:
        for record in table.origins["records"].values():
            if record and record.get("commit"):
                of = record["commit"]
                more = ", with files that differed from it" if of["changed"] else ""
                found.setdefault(of["id"][:12] + more)
    return sorted(found)


def _record(path, record, texts):
    given = {k: v for k, v in record["options"].items() if _kept(k, v, record)}
    if isinstance(given.get("methods"), str):
        given["methods"] = json.loads(given["methods"])
    inputs = record["inputs"]
    found = {
        "by": texts(record["script"]),
        "code": record.get("code") or "",
        "options": texts(json.dumps(given, ensure_ascii=False, separators=(",", ":"))),
        "sha": record["outputs"].get(path, {}).get("sha256", ""),
        "from": [[texts(_shown(name)), of["sha256"][:16]] for name, of in inputs.items()],
    }
    packages = [f"{name} {version}" for name, version in record.get("packages", {}).items()]
    found["with"] = texts(", ".join([f"Python {record['python']}", *packages]))
    if record.get("commit"):
        found["commit"] = texts(record["commit"]["id"][:12])
    return found


def _kept(name, value, record):
    """Whether an option says more than the files of its record do."""
    files = {*record["inputs"], *record["outputs"]}
    return name not in VARYING and value not in (None, [], False) and str(value) not in files


def _shown(path):
    """A path in the project; of one elsewhere, which differs from machine to machine, its name."""
    return Path(path).name if Path(path).is_absolute() else path


def _cell(table, line, of, texts):
    metric = load_metric(line["metric"])
    d = metric.decimals + 1
    facts = {"Metric": metric.title, "Data": line["data"]}
    if line["n_seeds"]:
        ci = interval(line["ci_low"], line["ci_high"], d)
        mean = number(line["mean"], d)
        facts["Rebuilt"] = mean + (f", 95% interval {ci}" if ci else "")
    else:
        facts["Rebuilt"] = "no: a published row that could not be matched"
    if line["published"] is not None:
        source = of["published"]
        facts["Published"] = f"{number(line['published'], metric.decimals)}, {source['source']}"
        facts["Verdict"] = line["verdict"].replace("-", " ")
        if line["verdict"] != "not-comparable":
            facts["Difference"] = number(line["difference"], d, "+")
            facts["One further seed"] = f"95% within {interval(line['pi_low'], line['pi_high'], d)}"
        why = of.get("why_not")
        if why:
            facts["Not comparable because"] = "; ".join(why)
    if line["gap"] is not None and metric.better and not metric.counted:
        gap = interval(line["gap_low"], line["gap_high"], d, "+")
        text = number(line["gap"], d, "+") + (f" ({gap})" if gap else "")
        facts[f"Difference to {table.reference}, paired by seed"] = text
        if line["gap_published"] is not None:
            published = number(line["gap_published"], metric.decimals, "+")
            verdict = line["gap_verdict"].replace("-", " ")
            facts["Published difference"] = f"{published} ({verdict})"
    if "setting" in of:
        facts |= {"Setting": of["setting"], "Method": of["method"]}
    found = {
        "at": [texts(line["row"]), texts(line["column"])],
        "facts": [[texts(name), texts(text)] for name, text in facts.items() if text],
        "seeds": of.get("values", {}),
        "runs": [texts(path) for path in of.get("runs", [])],
    }
    if "method" in of:
        found["method"] = texts(of["method"])
    if of.get("runs"):
        found["command"] = texts(origins.rebuild(table.origins, of))
    return found
