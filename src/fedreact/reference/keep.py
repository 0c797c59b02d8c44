"""Keep what a run has come to: its tables, claims and figures, without weights and scores."""

import json
import shutil
from collections.abc import Container, Iterable
from datetime import datetime
from pathlib import Path

from fedreact.atomic import write_text
from fedreact.errors import UserError
from fedreact.provenance import is_input, upstream
from fedreact.reading import read_yaml
from fedreact.tables.origins import SUFFIX

KEPT = ("tables/*.csv", "claims/*.csv", "claims/*.md", "claims/*.png")
KEPT += ("assumptions/*.csv", "assumptions/*.md", "assumptions/*.png")
KEPT += ("searches/*.csv", "searches/*.md")
RUN = "run.json"
FINDINGS = "findings.json"
"""What makes rows of kept tables mean nothing, by table and row."""
NAMED = ("tables.yaml", "figures.yaml", "search.yaml")
"""Files of a paper whose keys are names of what is built."""


def names(paper: Path) -> set[str]:
    """Names of what is built of a paper's folder: tables, figures, searches, and its own."""
    prefix = read_yaml(paper / "paper.yaml").get("prefix")
    prefix = f"{paper.name}_" if prefix is None else prefix
    files = [paper / name for name in NAMED if (paper / name).is_file()]
    return {paper.name, *(f"{prefix}{name}" for path in files for name in read_yaml(path))}


def keep(results: Path, folder: Path, of: Container[str], figures: Iterable[str]) -> list[Path]:
    """Copy them to a folder of their own, in place of what was kept there, with :data:`RUN` beside.

    Parameters
    ----------
    results
        Of a scale.
    of
        Names of what to keep: those of one paper, so that papers can be run at different times.
    figures
        Those that pages show.

    Returns
    -------
    kept
        Paths below ``folder``.

    Raises
    ------
    UserError
        Nothing was built, or not those figures, or not all tables that are kept already.
    """
    drawn = [results / "figures" / f"{name}.png" for name in figures]
    if missing := [path.stem for path in drawn if not path.is_file()]:
        raise UserError(f"{results}: not built yet, but shown by pages: {', '.join(missing)}")
    found = sorted(path for pattern in KEPT for path in results.glob(pattern))
    files = [path for path in found if path.stem in of] + drawn
    if not files:
        raise UserError(f"{results}: no tables there; build some first: snakemake all_tables")
    built = {path.stem for path in files}
    before = [path.stem for path in sorted(folder.glob("tables/*.csv")) if path.stem in of]
    if lost := [name for name in before if name not in built]:
        raise UserError(
            f"{results}: not built yet, but kept in {folder}: {', '.join(lost)}; build them, or "
            "delete that folder first"
        )
    run = account(results, files)
    shutil.rmtree(folder, ignore_errors=True)
    kept = []
    for path in files:
        kept.append(folder / path.relative_to(results))
        kept[-1].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, kept[-1])
    write_text(folder / RUN, json.dumps(run, indent=1) + "\n")
    if findings := findings_of([path for path in files if path.parent.name == "tables"]):
        write_text(folder / FINDINGS, json.dumps(findings, indent=1, ensure_ascii=False) + "\n")
    return kept


def findings_of(tables: Iterable[Path]) -> dict[str, dict[str, list[str]]]:
    """Collect what makes rows of tables mean nothing, from the origins beside their csv."""
    findings = {}
    for csv in tables:
        origins = csv.with_suffix(SUFFIX)
        if origins.is_file() and (rows := json.loads(origins.read_text()).get("findings")):
            findings[csv.stem] = rows
    return findings


def account(results: Path, files: Iterable[Path]) -> dict:
    """What the records of files, and of all that they were made from, add up to.

    Returns
    -------
    run
        ``commits`` and ``changed`` (inputs that no commit had), ``packages`` with their versions,
        ``python``, ``processors``, ``data`` (digest of each dataset), ``steps`` (by step: ``jobs``
        and ``cpu_seconds``, of all attempts), ``cpu_seconds`` of all, and ``seconds`` in which one
        or more of them ran.
    """
    records = [r for r in upstream(results, map(str, files)).values() if r]
    unique = {r["command"]: r for r in records}.values()
    run: dict = {"commits": set(), "changed": set(), "packages": {}, "python": set()}
    run |= {"processors": set(), "data": {}, "steps": {}}
    spans = []
    for record in unique:
        # One that was killed has no end, and nobody knows what it took.
        attempts = [attempt for attempt in record["attempts"] if attempt.get("ended")]
        if record["commit"]:
            run["commits"].add(record["commit"]["id"])
            run["changed"].update(filter(is_input, record["commit"]["changed"]))
        run["packages"] |= record["packages"]
        run["python"].add(record["python"])
        machine = record["machine"]
        run["processors"].add(f"{machine['processor']}, {machine['cores']} cores")
        for path, made in record["outputs"].items():
            if Path(path).parent == results / "data":
                run["data"][Path(path).stem] = made["sha256"]
        step = run["steps"].setdefault(_step(record), {"jobs": 0, "cpu_seconds": 0.0})
        step["jobs"] += 1
        for attempt in attempts:
            step["cpu_seconds"] += attempt["cpu_seconds"]
            spans.append([datetime.fromisoformat(attempt[at]) for at in ("started", "ended")])
    for step in run["steps"].values():
        step["cpu_seconds"] = round(step["cpu_seconds"], 1)
    run["cpu_seconds"] = round(sum(step["cpu_seconds"] for step in run["steps"].values()), 1)
    run["seconds"] = _covered(spans)
    for key, value in run.items():
        if isinstance(value, set | dict):
            run[key] = sorted(value) if isinstance(value, set) else dict(sorted(value.items()))
    return run


def _step(record):
    """Its script, and the kind of a run."""
    name = Path(record["script"]).stem
    return f"{name} {kind}" if (kind := record["options"].get("kind")) else name


def _covered(spans):
    """Seconds in one or more of these spans of time."""
    total, end = 0.0, None
    for first, last in sorted(spans):
        if end is None or first > end:
            total, end = total + (last - first).total_seconds(), last
        elif last > end:
            total, end = total + (last - end).total_seconds(), last
    return total
