"""Where the cells of a table come from: runs, seeds, settings, data, code, and published values.

The origins of a table are a JSON file beside it, ``<table>.provenance.json``: its cells, each with
the files of scores that it is a mean of, and the records (:mod:`fedreact.provenance`) of these
files and of all that they were made from.
"""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact import provenance
from fedreact.atomic import write_text
from fedreact.errors import UserError
from fedreact.frames import records
from fedreact.tables import cells
from fedreact.tables import published as values
from fedreact.tables.files import ORIGINS, results_of
from fedreact.tables.published import Published
from fedreact.tables.sources import CellSource

Record = dict[str, Any]
"""A record of a result, see :mod:`fedreact.provenance`."""

IsNow = Callable[[str, str], bool | None]
"""Whether a file still has this SHA-256; ``None`` if it is not known."""

CodeNow = Callable[[Record], str | None]
"""Today's digest of the code that made a record's results; ``None`` if it is not known."""

LONGEST = 200
"""Characters of an option that people are shown."""


@dataclass(frozen=True)
class ScoredRuns:
    """What the cells of a table are means of, see :func:`fedreact.tables.cells.build`.

    Attributes
    ----------
    last
        Whether scores are those of the last round.
    """

    layout: Sequence[CellSource]
    scores: pd.DataFrame
    differences: Sequence[str] = ()
    last: bool = False


def origins(
    csv: Path,
    built: pd.DataFrame,
    published: Published,
    published_file: str,
    source: ScoredRuns | Path,
) -> dict[str, Any]:
    """Collect the origins of a table, once its csv is written.

    Parameters
    ----------
    csv
        ``<results>/tables/<table>.csv``.
    built
        Its cells, as :mod:`fedreact.tables.cells` builds them.
    published, published_file
        Content and path of its published values.
    source
        What its cells are means of, or the csv of a study.
    """
    lines: list[dict[str, Any]] = []
    for cell in records(built.astype(object).where(built.notna(), None)):
        line = {key: cell[key] for key in cells.COLUMNS if key != "table"}
        lines.append(line | {"published": _published(line, published, published_file)})
    if isinstance(source, Path):
        for line in lines:
            line["runs"] = [str(source)]
    else:
        _add_runs(lines, published, source)
    used = dict.fromkeys(path for line in lines for path in line.get("runs", []))
    return {
        "table": csv.stem,
        "csv": {"path": str(csv), "sha256": provenance.sha256(csv)},
        "cells": lines,
        "records": provenance.upstream(csv.parent.parent, used),
    }


def _published(line: Mapping[str, Any], published: Published, file: str) -> dict[str, Any] | None:
    if line["published"] is None:
        return None
    labels = {key: line[key] for key in ("row", "column")}
    return {"value": line["published"], "source": published["source"], **labels, "file": file}


def _add_runs(lines: list[dict[str, Any]], published: Published, source: ScoredRuns) -> None:
    """Add to each cell why it is not comparable, its setting and method, and its values by seed."""
    sources = {(cell.row, cell.column): cell for cell in source.layout}
    metrics = list(dict.fromkeys(line["metric"] for line in lines))
    scores = cells.per_seed(metrics, source.scores, source.last, by_file=True)
    for line in lines:
        row, column, n_seeds = line["row"], line["column"], line["n_seeds"]
        cell = sources.get((row, column))
        if line["published"] is not None:
            unlike = [*source.differences, *(cell.unlike if cell else ())]
            why = cells.why_not(row, line["data"], n_seeds, published, unlike)
            doubt = values.unsure(published, row, column)
            line["why_not"] = [*why, *([doubt] if doubt else [])]
            if line["grade"] == cells.NEARLY:
                line["nearly"] = published["nearly"][row]
        if n_seeds and cell is not None:
            runs = cells.of_cell(scores, cell)
            line |= {"setting": runs["setting"].iloc[0], "method": cell.method}
            by_seed = zip(map(str, runs["seed"]), runs[line["metric"]])
            line["values"] = {seed: float(f"{value:.9g}") for seed, value in by_seed}
            line["runs"] = runs["file"].tolist()


def write(csv: Path, came_from: Mapping[str, Any]) -> None:
    """Write the origins of a table beside its csv."""
    write_text(csv.with_suffix(ORIGINS), json.dumps(came_from, indent=1) + "\n")


def read(csv: Path) -> dict[str, Any]:
    """Read the origins of a table from the file beside it.

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
        content: dict[str, Any] = json.loads(path.read_text())
        return content
    except FileNotFoundError as error:
        again = f"snakemake --force {csv} --cores 1 --config scale={results_of(csv).name}"
        raise UserError(
            f"{path}: no such file, so nothing says how the table was made; make it again: {again}"
        ) from error
    except ValueError as error:
        raise UserError(f"{path}: not JSON ({error})") from error


def find(
    lines: list[dict[str, Any]], row: str, column: str, metric: str | None = None
) -> dict[str, Any]:
    """Find a cell by parts of its labels, in capitals or not; the first metric if none is named.

    Raises
    ------
    UserError
        A part fits no label, or several: one line with the candidates.
    """
    row = _match("row", row, [line["row"] for line in lines])
    lines = [line for line in lines if line["row"] == row]
    column = _match("column", column, [line["column"] for line in lines])
    lines = [line for line in lines if line["column"] == column]
    if metric is not None:
        metric = _match("metric", metric, [line["metric"] for line in lines])
        lines = [line for line in lines if line["metric"] == metric]
    return lines[0]


def _match(what: str, part: str, of_lines: Iterable[str]) -> str:
    labels = list(dict.fromkeys(of_lines))
    fits = [label for label in labels if label.lower() == part.lower()]
    fits = fits or [label for label in labels if part.lower() in label.lower()]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise UserError(f"{what} {part!r} fits several: {'; '.join(fits)}")
    raise UserError(f"{what} {part!r} is unknown; known: {'; '.join(labels)}")


def rebuild(table: Mapping[str, Any], cell: Mapping[str, Any]) -> str:
    """Return the command that makes the scores of a cell again, and the table with them.

    The runs of a cell are of all methods of its setting: they share their work.
    """
    csv, runs = table["csv"]["path"], cell.get("runs", [])
    config = {"scale": Path(csv).parts[-3]}
    for path in runs:
        config |= (table["records"].get(path) or {}).get("config", {})
    words = ["snakemake", csv, "--cores", "1"]
    words += ["--config", *(f"{key}={value}" for key, value in config.items())]
    words += ["--forcerun", *(runs or [csv])]
    return shlex.join(words)


def part(table: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a table's origins about one cell, with the command that rebuilds it."""
    chosen: dict[str, Record | None] = {}
    todo = list(cell.get("runs", []))
    while todo:
        path = todo.pop(0)
        if path in table["records"] and path not in chosen:
            chosen[path] = record = table["records"][path]
            todo += (record or {}).get("inputs", {})
    return {
        "table": table["table"],
        "csv": table["csv"],
        "cell": cell,
        "rebuild": rebuild(table, cell),
        "records": chosen,
    }


def describe(
    origin: Mapping[str, Any],
    made: Record | None = None,
    is_now: IsNow = lambda path, digest: None,
    code_now: CodeNow = lambda record: None,
) -> list[str]:
    """Write lines for people on where a cell comes from.

    Parameters
    ----------
    origin
        What :func:`part` gives.
    made
        Record of the table itself.
    is_now, code_now
        How files and code of today compare.
    """
    cell = origin["cell"]
    out = [f"{origin['table']}: {cell['row']}, {cell['column']}, {cell['metric']}", ""]
    out += _values(cell)
    groups: dict[tuple[str | None, ...], list[str]] = {}
    for path, record in origin["records"].items():
        groups.setdefault(_same(path, record), []).append(path)
    csv = origin["csv"]["path"]
    all_records = origin["records"] | ({csv: made} if made else {})
    results = Path(csv).parent.parent
    for paths in [*groups.values(), *([[csv]] if made else [])]:
        out += ["", *_steps(paths, all_records, results, is_now, code_now)]
    known = [record for record in all_records.values() if record]
    out += ["", *_where(known), "", f"rebuild     {origin['rebuild']}"]
    return out


def _values(cell: Mapping[str, Any]) -> Iterator[str]:
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


def _same(path: str, record: Record | None) -> tuple[str | None, ...]:
    """Return a key that records share which differ in seeds and times alone."""
    if record is None:
        return (str(Path(path).parent), None)
    options = {k: v for k, v in record["options"].items() if k != "seed"}
    return (str(Path(path).parent), str(options), record.get("code"), str(record["commit"]))


def _steps(
    paths: Sequence[str],
    records: Mapping[str, Record | None],
    results: Path,
    is_now: IsNow,
    code_now: CodeNow,
) -> Iterator[str]:
    """Write lines on results of one step that differ in their seeds alone."""
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
    if text := _options(options):
        yield f"  options   {text}"
    others = {
        name: file["sha256"]
        for record in known
        for name, file in record["inputs"].items()
        if not Path(name).is_relative_to(results)
    }
    for name, digest in others.items():
        state = ", changed since" if is_now(name, digest) is False else ""
        yield f"  read      {name}  sha256 {digest[:16]}{state}"
    yield f"  took      {_time_and_memory(known)}"


def _commit(commit: Mapping[str, Any] | None) -> str:
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


def _short(text: str) -> str:
    """Cut a text: a layout of a table has thousands of characters."""
    cut = f"{text[:LONGEST]}... ({len(text):,} characters; all with --json)"
    return text if len(text) <= LONGEST else cut


def _time_and_memory(records: Sequence[Record]) -> str:
    attempts = [attempt for record in records for attempt in record["attempts"]]
    ended = [a["ended"] for a in attempts if a["ended"]]
    cpu = sum(a.get("cpu_seconds", 0) for a in attempts)
    memory = max(a.get("memory_mb", 0) for a in attempts)
    text = f"{cpu:.1f} CPU s, at most {memory} MB a process, "
    text += f"{min(a['started'] for a in attempts)} to {max(ended)}".replace("+00:00", "Z")
    more = len(attempts) - len(records)
    return text + (f"; {more} earlier attempts were cut off" if more else "")


def _where(records: Sequence[Record]) -> Iterator[str]:
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
