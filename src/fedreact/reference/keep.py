"""Keep the results of a run: tables, claims, figures, and their values by seed.

Weights and scores of single rounds and clients are not kept.
"""

import json
import shutil
from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from fedreact import options
from fedreact.atomic import atomic, write_text
from fedreact.errors import UserError
from fedreact.provenance import is_input, upstream
from fedreact.reading import read_yaml
from fedreact.reference import store, values
from fedreact.resolve.scales import PaperScale
from fedreact.tables.files import ORIGINS

ALONE = ("assumptions/*.csv", "assumptions/*.md", "searches/*.csv", "searches/*.md")
"""Results that take hours and are run by themselves."""
COPIED = ("claims/*.csv", "claims/*.md", *ALONE)
"""Files that are kept as they are. Figures of these are drawn from their csv."""
COLOURS = 256
"""Most colours of a kept figure: a byte for each point, before it is compressed."""
RUN = "run.json"
DIFFERENCES = "differences.json"
"""File with what the scale did otherwise than the paper when the run was made."""
SAID = ("differences", "differences_of", "unlike")
"""Keys of a paper's scale that say it."""
FINDINGS = "findings.json"
"""File with what makes rows of kept tables mean nothing, by table and row."""
MULTIVERSE, UNIVERSES = "multiverse", "universes.csv"
"""Folder of the results of universes, kept by itself; its file with a line for each universe."""
COMPRESSED = (UNIVERSES, "pairs.csv")
"""Files of a multiverse that are large, and kept compressed."""
BESIDE = (MULTIVERSE, "runs")
"""Folders that are kept by themselves: of the multiverse, and of the runs of a campaign."""
NAMED = ("tables.yaml", "figures.yaml", "search.yaml")
"""Files of a paper whose keys are names of what is built."""


def _said(scale: PaperScale | None) -> dict[str, Any]:
    """Return what a scale says of differences, without what is empty."""
    return {key: said for key in SAID if (said := getattr(scale, key, None))}


def scale_then(folder: Path, scale: PaperScale) -> PaperScale:
    """Return a paper's scale with what it said when the run in a folder was kept."""
    path = folder / DIFFERENCES
    if not path.is_file():
        return scale
    then = options.check(PaperScale, json.loads(path.read_text()), str(path))
    return replace(scale, **{key: getattr(then, key) for key in SAID})


def names(paper: Path) -> set[str]:
    """Return names of all results of a paper: tables, figures, searches, and its own name."""
    prefix = read_yaml(paper / "paper.yaml").get("prefix")
    prefix = f"{paper.name}_" if prefix is None else prefix
    files = [paper / name for name in NAMED if (paper / name).is_file()]
    return {paper.name, *(f"{prefix}{name}" for path in files for name in read_yaml(path))}


def keep(
    results: Path,
    folder: Path,
    targets: Container[str],
    figures: Iterable[str],
    dropped: Container[str] = (),
    scale: PaperScale | None = None,
) -> list[Path]:
    """Keep a run of a paper in a folder of its own, in place of what was kept there.

    Tables become one compressed csv, and their values by seed, with those of the claims, another.
    Searches and effects of the ledger take hours and are run by themselves: those that this run has
    not built stay as they were, and :data:`RUN` names the commits that made them.

    Parameters
    ----------
    results
        Folder of a scale.
    targets
        Names of the results to keep: those of one paper, so that papers can be run at different
        times.
    figures
        Names of the figures that pages show.
    dropped
        Names of tables that were kept and are built no more.
    scale
        The scale of the paper: pages say what was unlike the paper in this run, whatever the scale
        says later.

    Returns
    -------
    kept
        Paths below ``folder``.

    Raises
    ------
    UserError
        No tables were built, or not those figures, or not all tables and claims that are kept
        already and not dropped; or nothing says which values a number is made of.
    """
    drawn = [results / "figures" / f"{name}.png" for name in figures]
    if missing := [path.stem for path in drawn if not path.is_file()]:
        raise UserError(f"{results}: not built yet, but shown by pages: {', '.join(missing)}")
    tables, claims, copied = (
        _built(results, patterns, targets)
        for patterns in (["tables/*.csv"], ["claims/*.csv"], COPIED)
    )
    if not tables:
        raise UserError(f"{results}: no tables there; build some first: snakemake all_tables")
    built = {path.stem for path in [*tables, *claims]}
    before = [*store.names(folder), *(path.stem for path in sorted(folder.glob("claims/*.csv")))]
    gone = [name for name in before if name in targets and name not in built]
    if lost := [name for name in gone if name not in dropped]:
        raise UserError(
            f"{results}: not built yet, but kept in {folder}: {', '.join(lost)}; build them, or "
            "name them after --drop"
        )
    run = account(results, [*tables, *copied, *drawn])
    by_seed = values.text(tables, claims)
    new = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(new, ignore_errors=True)
    store.write(new / store.TABLES, store.joined(path.read_text() for path in tables))
    store.write(new / store.VALUES, by_seed)
    for path in copied:
        write_text(new / path.relative_to(results), path.read_text())
    for path in drawn:
        _shrink(path, new / path.relative_to(results))
    if earlier := _keep_earlier(folder, new, targets):
        run["of_earlier_runs"] = earlier
    write_text(new / RUN, json.dumps(run, indent=1) + "\n")
    if said := _said(scale):
        write_text(new / DIFFERENCES, json.dumps(said, indent=1, ensure_ascii=False) + "\n")
    if findings := findings_of(tables):
        write_text(new / FINDINGS, json.dumps(findings, indent=1, ensure_ascii=False) + "\n")
    _replace(folder, new)
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _replace(folder: Path, new: Path) -> None:
    """Put files in place of those of a folder, one by one, and leave what is kept by itself.

    So kept runs of a campaign are there at any moment, also if this is killed.
    """
    files = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
    for file in sorted(files):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (new / file).replace(folder / file)
    for path in sorted(folder.rglob("*"), reverse=True):
        file = path.relative_to(folder)
        if file.parts[0] in BESIDE or file in files:
            continue
        if path.is_file():
            path.unlink()
        elif not any(path.iterdir()):
            path.rmdir()
    shutil.rmtree(new)


def _built(results: Path, patterns: Iterable[str], targets: Container[str]) -> list[Path]:
    """Return the files of results that have one of the patterns and belong to the targets."""
    paths = [path for pattern in patterns for path in sorted(results.glob(pattern))]
    return [path for path in paths if path.stem in targets]


def keep_multiverse(results: Path, folder: Path) -> list[Path]:
    """Keep the multiverse of a paper in its folder, in place of what was kept there.

    Parameters
    ----------
    results
        Folder of a scale, e.g. ``results/quick``.
    folder
        Folder of the paper, which holds its kept run, e.g. ``reference/quick/fed_react``.

    Raises
    ------
    UserError
        It was not built.
    """
    source = results / MULTIVERSE / folder.name
    if not (source / "multiverse.md").is_file():
        raise UserError(f"{source}: nothing there; build it first: snakemake multiverse")
    files = [path for path in sorted(source.iterdir()) if path.suffix in (".csv", ".md", ".json")]
    run, new = account(results, files), folder / f".{MULTIVERSE}.part"
    shutil.rmtree(new, ignore_errors=True)
    for path in files:
        if path.name in COMPRESSED:
            store.write(new / f"{path.name}.gz", path.read_text())
        else:
            write_text(new / path.name, path.read_text())
    write_text(new / RUN, json.dumps(run, indent=1) + "\n")
    shutil.rmtree(folder / MULTIVERSE, ignore_errors=True)
    new.rename(folder / MULTIVERSE)
    return sorted((folder / MULTIVERSE).iterdir())


def keep_alone(results: Path, folder: Path, targets: Container[str]) -> list[Path]:
    """Keep searches and effects of the ledger, and leave what else is kept of a paper as it is.

    :data:`RUN` names the commits that made each file, and inputs that no commit had.

    Raises
    ------
    UserError
        None was built, or nothing is kept of the paper.
    """
    files = _built(results, ALONE, targets)
    if not files:
        raise UserError(f"{results}: no searches there; build one first, e.g. snakemake search")
    if not (folder / RUN).is_file():
        raise UserError(f"{folder}: no run is kept there, so keep the tables first")
    run = json.loads((folder / RUN).read_text())
    commits, changed = dict(run.get("of_earlier_runs", {})), set(run.get("changed", []))
    for path in files:
        name, made = path.relative_to(results).as_posix(), account(results, [path])
        commits[name] = made["commits"]
        changed.update(made["changed"])
        write_text(folder / name, path.read_text())
    run["changed"] = sorted(changed)
    run["of_earlier_runs"] = dict(sorted(commits.items()))
    write_text(folder / RUN, json.dumps(run, indent=1) + "\n")
    return [folder / path.relative_to(results) for path in files]


def _keep_earlier(folder: Path, new: Path, targets: Container[str]) -> dict[str, list[str]]:
    """Copy what takes hours and was not built again; return the commits that made each file."""
    path = folder / RUN
    run = json.loads(path.read_text()) if path.is_file() else {}
    commits = {}
    for path in sorted(path for pattern in ALONE for path in folder.glob(pattern)):
        name = path.relative_to(folder).as_posix()
        if path.stem in targets and not (new / name).exists():
            write_text(new / name, path.read_text())
            commits[name] = run.get("of_earlier_runs", {}).get(name, run.get("commits", []))
    return commits


def _shrink(figure: Path, copy: Path) -> None:
    """Copy a figure with as many colours as a palette has."""
    from PIL import Image

    from fedreact.figures.style import save_few

    with atomic(copy) as path, Image.open(figure) as picture:
        save_few(picture, path, COLOURS)


def findings_of(tables: Iterable[Path]) -> dict[str, dict[str, list[str]]]:
    """Collect what makes rows of tables mean nothing, from the origins beside their csv."""
    findings = {}
    for csv in tables:
        origins = csv.with_suffix(ORIGINS)
        if origins.is_file() and (rows := json.loads(origins.read_text()).get("findings")):
            findings[csv.stem] = rows
    return findings


def account(results: Path, files: Iterable[Path]) -> dict[str, Any]:
    """Sum up the records of files and of all that they were made from.

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
        # An attempt that was killed has no end, and its cost is unknown.
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
            started, ended = (datetime.fromisoformat(attempt[k]) for k in ("started", "ended"))
            spans.append((started, ended))
    for step in run["steps"].values():
        step["cpu_seconds"] = round(step["cpu_seconds"], 1)
    run["cpu_seconds"] = round(sum(step["cpu_seconds"] for step in run["steps"].values()), 1)
    run["seconds"] = _covered(spans)
    for key, value in run.items():
        if isinstance(value, set | dict):
            run[key] = sorted(value) if isinstance(value, set) else dict(sorted(value.items()))
    return run


def _step(record: dict[str, Any]) -> str:
    """Name the step of a record by its script, and the kind of a run."""
    name = Path(record["script"]).stem
    return f"{name} {kind}" if (kind := record["options"].get("kind")) else name


def _covered(spans: list[tuple[datetime, datetime]]) -> float:
    """Return the seconds in one or more of these spans of time."""
    total, end = 0.0, None
    for first, last in sorted(spans):
        if end is None or first > end:
            total, end = total + (last - first).total_seconds(), last
        elif last > end:
            total, end = total + (last - end).total_seconds(), last
    return total
