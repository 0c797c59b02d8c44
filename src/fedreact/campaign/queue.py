"""The runs that a paper's tables ask for, the most useful first.

A row of a table is worth more once all its methods have the same seeds. So a batch is a setting
with a seed, and a setting has all its seeds before the next one begins. Cells with published values
come first, and among these the settings that the scale names as ``first``.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from fedreact.resolve.cells import Cell
from fedreact.resolve.plan import Plan
from fedreact.resolve.steps import steps
from fedreact.tables import published as values


@dataclass(frozen=True)
class CampaignRun:
    """A run with a seed.

    Attributes
    ----------
    output
        File of its scores, ``results/<scale>/runs/...``.
    identity
        Digest of all that its steps name, code and options, from raw data on.
    """

    output: str
    identity: str


@dataclass(frozen=True)
class Batch:
    """The runs of a setting with a seed.

    Attributes
    ----------
    title
        For people.
    runs
        Those that no earlier batch has.
    """

    title: str
    runs: tuple[CampaignRun, ...]


def batches(plan: Plan, paper: str) -> list[Batch]:
    """Return the batches of a paper, the most useful first; none is empty."""
    first = plan.settings.paper(paper).scale.first
    ranked: dict[tuple[bool, int, int, str], list[Cell]] = {}
    targets = plan.outputs.chosen(plan.tables, [paper])
    for number, target in enumerate(targets):
        printed = _printed(plan, target)
        for place, cell in plan.outputs.cells(target).items():
            base = cell.setting.split("+")[0]
            rank = first.index(base) if base in first else len(first)
            if not cell.skipped:
                key = (place not in printed, rank, number, cell.setting)
                ranked.setdefault(key, []).append(cell)
    seen: set[str] = set()
    made = []
    for (_, _, number, setting), cells in sorted(ranked.items(), key=lambda one: one[0][:3]):
        seeds = {s: None for c in cells for s in plan.experiments.seeds(paper, c.kind, setting)}
        for seed in seeds:
            runs = _runs(plan, paper, cells, seed)
            new = tuple(run for run in runs if run.output not in seen)
            seen.update(run.output for run in new)
            if new:
                made.append(Batch(f"{targets[number]}, {setting}, seed {seed}", new))
    return made


def _printed(plan: Plan, target: str) -> set[tuple[str, str]]:
    """Return row and column of the cells of a table that have a published value."""
    paper, name, _ = plan.outputs.entry(target)
    file = paper.folder / "published" / f"{name}.yaml"
    published = values.read(file if file.exists() else None)
    return {(row, column) for row in published["rows"] for column in published["columns"]}


def _runs(plan: Plan, paper: str, cells: list[Cell], seed: int) -> list[CampaignRun]:
    """Return the runs of some cells with a seed, each once."""
    by_job = {
        cell.key: cell
        for cell in cells
        if seed in plan.experiments.seeds(paper, cell.kind, cell.setting)
    }
    return [_run(plan, paper, cell, seed) for cell in by_job.values()]


def _run(plan: Plan, paper: str, cell: Cell, seed: int) -> CampaignRun:
    """Return the run of a cell, whose identity is all that its steps name."""
    named: list[Any] = []
    for rule, wildcards in steps(plan, paper, cell, seed):
        job = plan.job(rule, **wildcards)
        named.append([rule, job.script, list(job.words), job.code, sorted(job.params.items())])
    text = json.dumps(named, sort_keys=True, default=str)
    identity = hashlib.sha256(text.encode()).hexdigest()
    return CampaignRun(f"{plan.outputs.folder(paper, cell)}/seed{seed}.csv", identity)
