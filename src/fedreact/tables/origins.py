"""Where the cells of a table come from: runs, seeds, settings, data, code, and published values.

The origins of a table are a JSON file beside it, ``<table>.provenance.json``: its cells, each with
the files of scores that it is a mean of, and the records (:mod:`fedreact.provenance`) of these
files and of all that they were made from.
"""

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact import provenance
from fedreact.atomic import write_text
from fedreact.errors import UserError
from fedreact.resolve.files import ORIGINS, results_of
from fedreact.tables import cells
from fedreact.tables import published as values

# Characters of an option that people are shown.
LONGEST = 200


def origins(
    table: str,
    found: pd.DataFrame,
    published: dict,
    published_file: str,
    csv: Path,
    layout: Sequence[cells.Place] = (),
    scores: pd.DataFrame | None = None,
    differences: Sequence[str] = (),
    last: bool = False,
    study: Path | None = None,
) -> dict:
    """Collect the origins of a table, once its csv is written.

    Parameters
    ----------
    table
        Its name.
    found
        Its cells, as :mod:`fedreact.tables.cells` builds them.
    published, published_file
        Content and path of its published values.
    csv
        ``<results>/tables/<table>.csv``.
    layout, scores, differences, last
        As for :func:`fedreact.tables.cells.build`; without scores, cells are those of a study.
    study
        What the study found.
    """
    results, places = csv.parent.parent, {(place.row, place.column): place for place in layout}
    if scores is not None:
        metrics = list(dict.fromkeys(found["metric"]))
        scores = cells.per_seed(metrics, scores, last, by_file=True)
    lines = []
    for cell in found.astype(object).where(found.notna(), None).to_dict("records"):
        line = {key: cell[key] for key in cells.COLUMNS if key != "table"}
        line["published"] = _published(cell, published, published_file)
        if cell["published"] is not None and scores is not None:
            place = places.get((cell["row"], cell["column"]))
            unlike = [*differences, *(place.unlike if place else ())]
            why = cells.why_not(cell["row"], cell["data"], cell["n_seeds"], published, unlike)
            doubt = values.unsure(published, cell["row"], cell["column"])
            line["why_not"] = [*why, *([doubt] if doubt else [])]
        if cell["n_seeds"] and scores is not None:
            place = places[cell["row"], cell["column"]]
            runs = cells.of_cell(scores, place)
            line |= {"setting": runs["setting"].iloc[0], "method": place.method}
            by_seed = zip(map(str, runs["seed"]), runs[cell["metric"]])
            line["values"] = {seed: float(f"{value:.9g}") for seed, value in by_seed}
            line["runs"] = runs["file"].tolist()
        if study is not None:
            line["runs"] = [str(study)]
        lines.append(line)
    used = dict.fromkeys(path for line in lines for path in line.get("runs", []))
    return {
        "table": table,
        "csv": {"path": str(csv), "sha256": provenance.sha256(csv)},
        "cells": lines,
        "records": provenance.upstream(results, used),
    }


def _published(cell, published, file):
    if cell["published"] is None:
        return None
    place = {key: cell[key] for key in ("row", "column")}
    return {"value": cell["published"], "source": published["source"], **place, "file": file}


def write(csv: Path, came_from: dict) -> None:
    """Write the origins of a table beside its csv."""
    write_text(csv.with_suffix(ORIGINS), json.dumps(came_from, indent=1) + "\n")


def read(csv: Path) -> dict:
    """Origins of a table, from the file beside it.

    Parameters
    ----------
    csv
        ``<results>/tables/<table>.csv``.

    Raises
    ------
    UserError
        There is none, or no table.
    """
    if not csv.is_file():
        raise UserError(f"{csv}: no such file")
    path = csv.with_suffix(ORIGINS)
    try:
        return json.loads(path.read_text())
    except FileNotFoundError as error:
        again = f"snakemake --force {csv} --cores 1 --config scale={results_of(csv).name}"
        raise UserError(
            f"{path}: no such file, so nothing says how the table was made; make it again: {again}"
        ) from error
    except ValueError as error:
        raise UserError(f"{path}: not JSON ({error})") from error


def find(lines: list[dict], row: str, column: str, metric: str | None = None) -> dict:
    """Find a cell by parts of its labels, in capitals or not; the first metric if none is named.

    Raises
    ------
    UserError
        One line with the candidates, if a part fits no label or several.
    """
    row = _match("row", row, [line["row"] for line in lines])
    lines = [line for line in lines if line["row"] == row]
    column = _match("column", column, [line["column"] for line in lines])
    lines = [line for line in lines if line["column"] == column]
    if metric is not None:
        metric = _match("metric", metric, [line["metric"] for line in lines])
        lines = [line for line in lines if line["metric"] == metric]
    return lines[0]


def _match(what, part, labels):
    labels = list(dict.fromkeys(labels))
    fits = [label for label in labels if label.lower() == part.lower()]
    fits = fits or [label for label in labels if part.lower() in label.lower()]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UserError(f"{what} {part!r} fits several: {'; '.join(fits)}")
    raise UserError(f"{what} {part!r} is unknown; known: {'; '.join(labels)}")


def rebuild(table: dict, cell: dict) -> str:
    """Command that makes the scores of a cell again, and the table with them.

    The runs of a cell are of all methods of its setting: they share their work.
    """
    csv, runs = table["csv"]["path"], cell.get("runs", [])
    chosen = {"scale": Path(csv).parts[-3]}
    for path in runs:
        chosen |= (table["records"].get(path) or {}).get("config", {})
    words = ["snakemake", csv, "--cores", "1"]
    words += ["--config", *(f"{key}={value}" for key, value in chosen.items())]
    words += ["--forcerun", *(runs or [csv])]
    return shlex.join(words)


def part(table: dict, cell: dict) -> dict:
    """What of a table's origins concerns one cell, with the command that rebuilds it."""
    paths, todo = {}, list(cell.get("runs", []))
    while todo:
        path = todo.pop(0)
        if path in table["records"] and path not in paths:
            paths[path] = table["records"][path]
            todo += (paths[path] or {}).get("inputs", {})
    return {
        "table": table["table"],
        "csv": table["csv"],
        "cell": cell,
        "rebuild": rebuild(table, cell),
        "records": paths,
    }


def describe(
    origin: dict,
    made: dict | None = None,
    is_now: Callable[[str, str], bool | None] = lambda path, digest: None,
    code_now: Callable[[dict], str | None] = lambda record: None,
) -> list[str]:
    """Lines for people on where a cell comes from.

    Parameters
    ----------
    origin
        What :func:`part` gives.
    made
        Record of the table itself.
    is_now
        Whether a file still has this SHA-256; ``None`` if it is not known.
    code_now
        Today's digest of the code that made a record's results.
    """
    cell = origin["cell"]
    out = [f"{origin['table']}: {cell['row']}, {cell['column']}, {cell['metric']}", ""]
    out += _values(cell)
    groups: dict[tuple, list[str]] = {}
    for path, record in origin["records"].items():
        groups.setdefault(_same(path, record), []).append(path)
    csv = origin["csv"]["path"]
    records = origin["records"] | ({csv: made} if made else {})
    results = Path(csv).parent.parent
    for paths in [*groups.values(), *([[csv]] if made else [])]:
        out += ["", *_steps(paths, records, results, is_now, code_now)]
    records = [record for record in records.values() if record]
    out += ["", *_where(records), "", f"rebuild     {origin['rebuild']}"]
    return out


def _values(cell):
    if cell["mean"] is None:
        yield "rebuilt     no: the label of this published row is lost"
    else:
        text = f"rebuilt     {cell['mean']:.6g}"
        if cell["ci_low"] is not None:
            text += f", 95% interval {cell['ci_low']:.6g} to {cell['ci_high']:.6g}"
        yield text + f", on {cell['data']}"
    if "values" in cell:
        yield f"setting     {cell['setting']}, method {cell['method']}"
        yield "seeds       " + ", ".join(f"{s}: {v:.6g}" for s, v in cell["values"].items())
    if cell["published"] is None:
        yield "published   no value"
        return
    published = cell["published"]
    yield f"published   {published['value']:.6g}, {published['source']}"
    yield f'            row "{published["row"]}", column "{published["column"]}"'
    yield f"            ({published['file']})"
    why = cell.get("why_not")
    yield f"verdict     {cell['verdict']}" + (f": {'; '.join(why)}" if why else "")


def _same(path: str, record: dict | None) -> tuple:
    """Key of records that differ in seeds and times alone, such as are described together."""
    if record is None:
        return (str(Path(path).parent), None)
    options = {k: v for k, v in record["options"].items() if k != "seed"}
    return (str(Path(path).parent), str(options), record.get("code"), str(record["commit"]))


def _steps(paths, records, results, is_now, code_now):
    """Lines on results of one step that differ in their seeds alone."""
    for path in paths:
        record = records[path]
        if record is None or "outputs" not in record:
            yield f"{path}  no record"
            continue
        digest = record["outputs"].get(path, {}).get("sha256", "")
        state = {True: "", False: ", changed since", None: ""}[is_now(path, digest)]
        yield f"{path}  sha256 {digest[:16]}{state}"
    known = [record for path in paths if (record := records[path]) and "outputs" in record]
    if not known:
        return
    first = known[0]
    code = first.get("code") or "no digest"
    if first.get("code") and (now := code_now(first)):
        code += " (as now)" if now == code else " (changed since)"
    yield f"  made by   {first['script']}, code {code}, {_commit(first['commit'])}"
    options = {k: v for k, v in first["options"].items() if k != "seed"}
    if given := _options(options):
        yield f"  options   {given}"
    others = {
        name: file["sha256"]
        for record in known
        for name, file in record["inputs"].items()
        if not Path(name).is_relative_to(results)
    }
    for name, digest in others.items():
        state = ", changed since" if is_now(name, digest) is False else ""
        yield f"  read      {name}  sha256 {digest[:16]}{state}"
    yield f"  took      {_taken(known)}"


def _commit(commit):
    if commit is None:
        return "no git commit"
    changed = commit["changed"]
    dirty = f" and {len(changed)} changed: {', '.join(changed[:5])}" if changed else ", clean"
    return f"commit {commit['id'][:12]}{dirty}{', ...' if len(changed) > 5 else ''}"


def _options(options: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} {_short(shlex.join(map(str, value)) if isinstance(value, list) else str(value))}"
        for name, value in options.items()
        if value not in (None, [], False)
    )


def _short(text):
    """A layout of a table is thousands of characters."""
    cut = f"{text[:LONGEST]}... ({len(text):,} characters; all with --json)"
    return text if len(text) <= LONGEST else cut


def _taken(known):
    attempts = [attempt for record in known for attempt in record["attempts"]]
    ended = [a["ended"] for a in attempts if a["ended"]]
    cpu = sum(a.get("cpu_seconds", 0) for a in attempts)
    memory = max(a.get("memory_mb", 0) for a in attempts)
    text = f"{cpu:.1f} CPU s, at most {memory} MB a process, "
    text += f"{min(a['started'] for a in attempts)} to {max(ended)}".replace("+00:00", "Z")
    more = len(attempts) - len(known)
    return text + (f"; {more} earlier attempts were cut off" if more else "")


def _where(records):
    versions = {f"python {record['python']}" for record in records}
    for record in records:
        versions |= {f"{n} {v}" for n, v in record.get("packages", {}).items()}
    machines = {
        f"{m['host']} ({m['processor']}, {m['cores']} cores, {m['system']})"
        for m in (record["machine"] for record in records)
    }
    gpus = {a["gpu"] for record in records for a in record["attempts"] if "gpu" in a}
    yield f"packages    {', '.join(sorted(versions)) or 'no record'}"
    yield f"machines    {'; '.join(sorted(machines | gpus)) or 'no record'}"
