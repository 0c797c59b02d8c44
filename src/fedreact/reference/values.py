"""Values by seed, from which the numbers of a kept run can be made again.

A mean and its interval cannot be checked without the values behind them. So a value is kept for
each seed of each cell of a table, and for each seed of each contrast of a claim.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact import provenance
from fedreact.claims.judged import Asked, Contrast
from fedreact.errors import UserError
from fedreact.resolve.files import results_of
from fedreact.tables import origins
from fedreact.tables.cells import Place, of_cell, per_seed, read_scores
from fedreact.tables.reached import until_the_worse

COLUMNS = ["table", "row", "column", "claim", "reading", "at", "left", "right"]
COLUMNS += ["metric", "seed", "value", "most"]
"""Columns of the csv: labels as in those of tables and claims, empty where they do not apply.

The ``value`` of a cell is a mean over clients and rounds, as its table says. That of a contrast is
a difference, positive as claimed. Where only bounds of a difference are known, ``value`` is the
least and ``most`` the most; else ``most`` is empty. A count has no ``seed``.
"""


def text(tables: Sequence[Path], claims: Sequence[Path]) -> str:
    """Write the values of tables and claims as csv, with nine digits.

    Parameters
    ----------
    tables, claims
        Csv files of results, with what is recorded of them.

    Raises
    ------
    UserError
        Nothing says what a file was made from, or it was made from runs below another path.
    """
    lines = [line for csv in tables for line in of_table(csv)]
    lines += [line for csv in claims for line in of_claims(csv)]
    values = pd.DataFrame(lines, columns=COLUMNS)
    return values.to_csv(index=False, float_format="%.9g", lineterminator="\n")


def of_table(csv: Path) -> Iterator[dict[str, Any]]:
    """Yield the values of a table's cells, from the origins beside its csv."""
    for cell in origins.read(csv)["cells"]:
        if cell["n_seeds"]:
            place = {key: cell[key] for key in ("row", "column", "metric")}
            for seed, value in cell.get("values", {"": cell["mean"]}).items():
                yield {"table": csv.stem, **place, "seed": seed, "value": value}


def of_claims(csv: Path) -> Iterator[dict[str, Any]]:
    """Yield the values of the contrasts of a paper's claims, from the scores of their runs."""
    results = csv.parents[1]
    record = provenance.read_record(results, csv) or {}
    if "asked" not in record.get("options", {}):
        again = f"snakemake --force {csv} --cores 1 --config scale={results_of(csv).name}"
        raise UserError(f"{csv}: nothing says what it was judged on; make it again: {again}")
    runs = [path for path in map(Path, record["inputs"]) if "runs" in path.parts]
    if elsewhere := [path for path in runs if not path.is_relative_to(results / "runs")]:
        raise UserError(f"{csv}: made from {elsewhere[0]}, which is not below {results}/")
    scores = read_scores(runs)
    means = cache(lambda metric, last: per_seed([metric], scores, last))
    for asked in map(Asked.of, json.loads(record["options"]["asked"])):
        about = {"claim": asked.claim, "reading": asked.reading, "metric": asked.metric}
        for contrast in asked.contrasts:
            labels = {"at": contrast.at, "left": contrast.left, "right": contrast.right}
            bounds = _bounds(asked, contrast, means(asked.metric, asked.last), scores)
            for seed, (least, most) in sorted(bounds.items()):
                value = {"value": least, "most": None if most == least else most}
                yield about | labels | {"seed": seed} | value


def _bounds(
    asked: Asked, contrast: Contrast, means: pd.DataFrame, scores: pd.DataFrame
) -> dict[Any, tuple[float, float]]:
    """Return the least and most difference of a contrast by seed, positive as claimed."""
    if asked.reaching and isinstance(contrast.theirs, Sequence):
        curves = [of_cell(scores, _place(side)) for side in (contrast.ours, contrast.theirs)]
        least, most = until_the_worse(curves[0], curves[1], asked.reaching, asked.metric)
    else:
        ours = _by_seed(contrast.ours, means, asked.metric)
        if isinstance(contrast.theirs, Sequence):
            least = most = ours - _by_seed(contrast.theirs, means, asked.metric)
        else:
            least = most = ours - contrast.theirs
    if asked.sign < 0:
        least, most = -most, -least
    known = least.dropna()
    return {seed: (value, most[seed]) for seed, value in zip(known.index, known)}


def _by_seed(side: Sequence[str], means: pd.DataFrame, metric: str) -> pd.Series:
    """Return the means of one side of a contrast by seed."""
    return of_cell(means, _place(side)).set_index("seed")[metric]


def _place(side: Sequence[str]) -> Place:
    """Return the place of the scores of one side of a contrast: its folder and its method."""
    folder, method = side
    return Place("", "", folder, method)
