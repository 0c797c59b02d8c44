"""Where a run and the one that is kept differ: cells beyond their intervals, outcomes of claims."""

from dataclasses import dataclass
from math import hypot
from pathlib import Path

import pandas as pd

from fedreact.errors import UserError
from fedreact.reference import store

CELL = ["row", "column", "metric", "data"]
CLAIM = ["paper", "claim", "reading"]

ROUNDING = 0.01
"""Share by which a cell that is the same for every seed may differ between two processors.

Such a cell counts compute. An exact solver stops after a few steps more where a processor adds up
in another order.
"""


@dataclass
class Comparison:
    """What two runs have in common, and what not.

    Attributes
    ----------
    same, within
        Cells whose means are the same to the last digit that is kept, or differ by no more than
        chance would have them.
    moved
        Those that differ by more, a line each.
    alone
        Cells and claims of one run only, and cells of one seed that are not the same, a line each.
    claims
        Those whose outcome is another, a line each.
    missing
        Tables of the kept run that this one has not built.
    """

    same: int
    within: int
    moved: list[str]
    alone: list[str]
    claims: list[str]
    missing: list[str]


def compare(results: Path, kept: Path) -> Comparison:
    """Compare tables and claims of a run with those of the run that is kept.

    Two means differ by more than chance if they are further apart than the root of the summed
    squares of their 95% half-widths, as of two runs that share no seed. Runs that share seeds
    differ less, so a cell that is said to have moved has.

    Parameters
    ----------
    results
        Folder with ``tables/*.csv`` and ``claims/*.csv``, e.g. ``results/quick``.
    kept
        With a folder of each paper that has them, e.g. ``reference/quick``.

    Raises
    ------
    UserError
        There is nothing to compare.
    """
    if not kept.is_dir():
        scales = sorted({run.parents[1].name for run in kept.parent.glob("*/*/run.json")})
        raise UserError(
            f"{kept}: no run is kept at this scale; kept: {', '.join(scales) or 'none'}"
        )
    found, n_shared = Comparison(0, 0, [], [], [], []), 0
    tables = [
        (path.parent, name)
        for path in kept.glob(f"*/{store.TABLES}")
        for name in store.names(path.parent)
    ]
    for folder, name in sorted(tables):
        if (now := results / "tables" / f"{name}.csv").is_file():
            n_shared += 1
            _cells(found, name, _read(store.table(folder, name), CELL), _read(now, CELL))
        else:
            found.missing.append(name)
    if not n_shared:
        raise UserError(f"{results} and {kept} have no table in common; build some first")
    for path in sorted(kept.glob("*/claims/*.csv")):
        if (now := results / "claims" / path.name).is_file():
            before, after = (_outcomes(of) for of in (path, now))
            for key in before.index.union(after.index, sort=False):
                if key not in before.index or key not in after.index:
                    of = "kept" if key in before.index else "new"
                    found.alone.append(f"{_name(key)}: a claim of the {of} run only")
                elif before[key] != after[key]:
                    found.claims.append(f"{_name(key)}: {before[key]} -> {after[key]}")
    return found


def _cells(found, table, before, after):
    for key in before.index.union(after.index, sort=False):
        where = f"{table}: {_name(key)}"
        if key not in after.index or key not in before.index:
            of = "kept" if key in before.index else "new"
            found.alone.append(f"{where}: only in the {of} run")
            continue
        was, now = before.loc[key], after.loc[key]
        if was["mean"] == now["mean"] or (pd.isna(was["mean"]) and pd.isna(now["mean"])):
            found.same += 1
            continue
        change = f"{where}: {_shown(was)} -> {_shown(now)}"
        reach = hypot(*((of["ci_high"] - of["ci_low"]) / 2 for of in (was, now)))
        if pd.isna(reach) or pd.isna(now["mean"]) or pd.isna(was["mean"]):
            found.alone.append(f"{change}, without an interval")
        elif abs(now["mean"] - was["mean"]) <= (reach or ROUNDING * abs(was["mean"])):
            found.within += 1
        else:
            found.moved.append(change)


def _read(path, key):
    lines = pd.read_csv(path, dtype=dict.fromkeys(key, str))
    return lines.fillna(dict.fromkeys(key, "")).set_index(key)


def _outcomes(path):
    """Of claims as a whole, under each reading; ``at`` is a setting of one."""
    lines = _read(path, CLAIM)
    return lines[lines["at"].isna()]["outcome"]


def _name(key):
    return ", ".join(part for part in key if part)


def _shown(cell):
    if pd.isna(cell["ci_low"]):
        return f"{cell['mean']:.6g}"
    return f"{cell['mean']:.6g} ({cell['ci_low']:.6g} to {cell['ci_high']:.6g})"
