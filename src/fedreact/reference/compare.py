"""Differences between a run and the kept one: cells beyond their intervals, outcomes of claims."""

import io
from dataclasses import dataclass, field
from math import hypot
from pathlib import Path

import pandas as pd

from fedreact.errors import UserError
from fedreact.metrics.recorded import RECORDED
from fedreact.reference import store

CELL = ["row", "column", "metric", "data"]
CLAIM = ["paper", "claim", "reading"]

ROUNDING = 0.01
"""Share by which counted costs without spread may differ between two processors.

An exact solver takes a few steps more where a processor adds up in another order.
"""

COUNTED = {name for name, metric in RECORDED.items() if metric.counted}


@dataclass
class RunComparison:
    """Cells and claims in which two runs agree and differ.

    Attributes
    ----------
    same, within
        Number of cells whose means are the same to the last kept digit, and of those that differ
        by no more than is expected by chance.
    moved
        Cells that differ by more, a line each.
    alone
        Cells and claims of one run only, and cells of one seed that are not the same, a line each.
    claims
        Claims with another outcome, a line each.
    missing
        Tables of the kept run that this one has not built.
    """

    same: int = 0
    within: int = 0
    moved: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def add_table(self, name: str, before: pd.DataFrame, after: pd.DataFrame) -> None:
        """Compare the cells of a table in both runs."""
        for key in before.index.union(after.index, sort=False):
            place = f"{name}: {_name(key)}"
            if key in before.index and key in after.index:
                tolerance = ROUNDING if key[CELL.index("metric")] in COUNTED else 0.0
                self._add_cell(place, before.loc[key], after.loc[key], tolerance)
            else:
                run = "kept" if key in before.index else "new"
                self.alone.append(f"{place}: only in the {run} run")

    def _add_cell(self, place: str, before: pd.Series, after: pd.Series, tolerance: float) -> None:
        """Compare a cell that both runs have; ``tolerance`` is relative, where nothing varies."""
        was, now = before["mean"], after["mean"]
        if was == now or (pd.isna(was) and pd.isna(now)):
            self.same += 1
            return
        change = f"{place}: {_shown(before)} -> {_shown(after)}"
        reach = hypot(*((cell["ci_high"] - cell["ci_low"]) / 2 for cell in (before, after)))
        if pd.isna(reach) or pd.isna(was) or pd.isna(now):
            self.alone.append(f"{change}, without an interval")
        elif abs(now - was) <= (reach or tolerance * abs(was)):
            self.within += 1
        else:
            self.moved.append(change)

    def add_claims(self, before: pd.Series, after: pd.Series) -> None:
        """Compare the outcomes of claims in both runs."""
        for key in before.index.union(after.index, sort=False):
            if key not in before.index or key not in after.index:
                run = "kept" if key in before.index else "new"
                self.alone.append(f"{_name(key)}: a claim of the {run} run only")
            elif before[key] != after[key]:
                self.claims.append(f"{_name(key)}: {before[key]} -> {after[key]}")


def compare(results: Path, reference: Path) -> RunComparison:
    """Compare tables and claims of a run with those of the run that is kept.

    Two means differ by more than chance if they are further apart than the root of the summed
    squares of their 95% half-widths, as for two runs that share no seed. Runs that share seeds
    differ less, so a cell is rarely listed as moved by chance.

    Parameters
    ----------
    results
        Folder with ``tables/*.csv`` and ``claims/*.csv``, e.g. ``results/quick``.
    reference
        Folder with a folder of each paper that has them, e.g. ``reference/quick``.

    Raises
    ------
    UserError
        There is nothing to compare.
    """
    if not reference.is_dir():
        scales = sorted({run.parents[1].name for run in reference.parent.glob("*/*/run.json")})
        raise UserError(
            f"{reference}: no run is kept at this scale; kept: {', '.join(scales) or 'none'}"
        )
    comparison, n_shared = RunComparison(), 0
    tables = [
        (path.parent, name)
        for path in reference.glob(f"*/{store.TABLES}")
        for name in store.names(path.parent)
    ]
    for folder, name in sorted(tables):
        if (now := results / "tables" / f"{name}.csv").is_file():
            n_shared += 1
            before, after = _read(store.table(folder, name), CELL), _read(now, CELL)
            comparison.add_table(name, before, after)
        else:
            comparison.missing.append(name)
    if not n_shared:
        raise UserError(f"{results} and {reference} have no table in common; build some first")
    for path in sorted(reference.glob("*/claims/*.csv")):
        if (now := results / "claims" / path.name).is_file():
            comparison.add_claims(_outcomes(path), _outcomes(now))
    return comparison


def _read(file: Path | io.StringIO, key: list[str]) -> pd.DataFrame:
    """Read a csv whose lines are named by some of its columns."""
    lines = pd.read_csv(file, dtype=dict.fromkeys(key, str))
    return lines.fillna(dict.fromkeys(key, "")).set_index(key)


def _outcomes(path: Path) -> pd.Series:
    """Return the outcomes of claims as a whole, under each reading (``at`` is a setting of one)."""
    lines = _read(path, CLAIM)
    return lines[lines["at"].isna()]["outcome"]


def _name(key: tuple[str, ...]) -> str:
    """Name a cell or a claim in words."""
    return ", ".join(part for part in key if part)


def _shown(cell: pd.Series) -> str:
    """Write the mean of a cell, and its interval if it has one."""
    if pd.isna(cell["ci_low"]):
        return f"{cell['mean']:.6g}"
    return f"{cell['mean']:.6g} ({cell['ci_low']:.6g} to {cell['ci_high']:.6g})"
