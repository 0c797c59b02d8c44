"""The origin of each cell, as the page holds it: small enough for all cells of all papers.

Texts and paths stand once and are cited by their places. Of the records beside the tables all is
kept that is the same wherever the same results are made: files and their SHA-256, options, digests
of code, commits, packages. Times, memory and machines are not, so that the same results give the
same page; ``scripts/explain_cell.py`` prints these too.
"""

import json
from collections.abc import Mapping, Sequence
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

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """Return the place of a text; add it if it is new."""
        return self.places.setdefault(text, len(self.places))

    @property
    def all(self) -> list[str]:
        """Texts in the order of their places."""
        return list(self.places)


def packed(tables: Sequence[Table]) -> dict[str, Any]:
    """Pack the origins of all cells for the page's script.

    Returns
    -------
    dict
        ``texts``; ``records`` by the place of a result's path: ``by`` (script), ``code``,
        ``options``, ``from`` (results and other files), ``sha``, ``commit``; and ``tables``, each
        with ``csv`` and ``cells``.
    """
    texts = Texts()
    records: dict[int, dict[str, Any]] = {}
    packed_tables = {}
    for table in tables:
        for path, record in table.origins["records"].items():
            if record and "outputs" in record:
                records.setdefault(texts(path), _record(path, record, texts))
        cells = [
            _cell(table, line, origin, texts)
            for line, origin in zip(table.lines, table.origins["cells"], strict=True)
        ]
        packed_tables[table.name] = {"csv": str(table.csv), "cells": cells}
    return {"texts": texts.all, "records": records, "tables": packed_tables}


def commits(tables: Sequence[Table]) -> list[str]:
    """Return the commits of the code that made the results; it says if files differed from them."""
    texts: set[str] = set()
    for table in tables:
        for record in table.origins["records"].values():
            if record and record.get("commit"):
                commit = record["commit"]
                more = ", with files that differed from it" if commit["changed"] else ""
                texts.add(commit["id"][:12] + more)
    return sorted(texts)


def _record(path: str, record: origins.Record, texts: Texts) -> dict[str, Any]:
    options = {k: v for k, v in record["options"].items() if _is_kept(k, v, record)}
    if isinstance(options.get("methods"), str):
        options["methods"] = json.loads(options["methods"])
    inputs = record["inputs"]
    packed_record = {
        "by": texts(record["script"]),
        "code": record.get("code") or "",
        "options": texts(json.dumps(options, ensure_ascii=False, separators=(",", ":"))),
        "sha": record["outputs"].get(path, {}).get("sha256", ""),
        "from": [[texts(_shown(name)), file["sha256"][:16]] for name, file in inputs.items()],
    }
    packages = [f"{name} {version}" for name, version in record.get("packages", {}).items()]
    packed_record["with"] = texts(", ".join([f"Python {record['python']}", *packages]))
    if record.get("commit"):
        packed_record["commit"] = texts(record["commit"]["id"][:12])
    return packed_record


def _is_kept(name: str, value: Any, record: origins.Record) -> bool:
    """Say whether an option says more than the files of its record do."""
    files = {*record["inputs"], *record["outputs"]}
    return name not in VARYING and value not in (None, [], False) and str(value) not in files


def _shown(path: str) -> str:
    """Return a path in the project, or the name of a file elsewhere, whose path may differ."""
    return Path(path).name if Path(path).is_absolute() else path


def _cell(
    table: Table, line: Mapping[str, Any], origin: Mapping[str, Any], texts: Texts
) -> dict[str, Any]:
    facts = _facts(table, line, origin)
    cell = {
        "at": [texts(line["row"]), texts(line["column"])],
        "facts": [[texts(name), texts(text)] for name, text in facts.items() if text],
        "seeds": origin.get("values", {}),
        "runs": [texts(path) for path in origin.get("runs", [])],
    }
    if "method" in origin:
        cell["method"] = texts(origin["method"])
    if origin.get("runs"):
        cell["command"] = texts(origins.rebuild(table.origins, origin))
    return cell


def _facts(table: Table, line: Mapping[str, Any], origin: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known of a cell, by name."""
    metric = load_metric(line["metric"])
    d = metric.decimals + 1
    facts = {"Metric": metric.title, "Data": line["data"]}
    if line["n_seeds"]:
        ci = interval(line["ci_low"], line["ci_high"], d)
        mean = number(line["mean"], d)
        compared = any(one["published"] is not None for one in table.lines)
        facts["Rebuilt" if compared else "Score"] = mean + (f", 95% interval {ci}" if ci else "")
    else:
        facts["Rebuilt"] = "no: a published row that could not be matched"
    if line["published"] is not None:
        source = origin["published"]
        facts["Published"] = f"{number(line['published'], metric.decimals)}, {source['source']}"
        facts["Verdict"] = line["verdict"].replace("-", " ")
        if line["verdict"] != "not-comparable":
            facts["Difference"] = number(line["difference"], d, "+")
            facts["One further seed"] = f"95% within {interval(line['pi_low'], line['pi_high'], d)}"
        if "nearly" in origin:
            facts["Nearly comparable, except for this"] = origin["nearly"]
        why = origin.get("why_not")
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
    if "setting" in origin:
        facts |= {"Setting": origin["setting"], "Method": origin["method"]}
    return facts
