"""Values by seed, from which the numbers of a kept run can be made again.

A mean and its interval cannot be checked without the values behind them. So a value is kept for
each seed of each cell of a table, and for each seed of each contrast of a claim.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact import provenance
from fedreact.claims.readings import ClaimReading
from fedreact.errors import UserError
from fedreact.reading import read_typed
from fedreact.tables import origins
from fedreact.tables.cells import of_cell, per_seed, read_scores
from fedreact.tables.files import results_of
from fedreact.tables.reached import until_the_worse
from fedreact.tables.sources import ScoreSource

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
    for reading in read_typed(record["options"]["asked"], "--asked", list[ClaimReading]):
        about = {"claim": reading.claim, "reading": reading.reading, "metric": reading.metric}
        for contrast in reading.contrasts:
            labels = {"at": contrast.at, "left": contrast.left, "right": contrast.right}
            bounds = _bounds(reading, contrast, means(reading.metric, reading.last), scores)
            for seed, (least, most) in sorted(bounds.items()):
                value = {"value": least, "most": None if most == least else most}
                yield about | labels | {"seed": seed} | value


def _bounds(reading, contrast, means, scores):
    """Return the least and most difference of a contrast by seed, positive as claimed."""
    if reading.reaching:
        ours, theirs = (of_cell(scores, side) for side in (contrast.ours, contrast.theirs))
        least, most = until_the_worse(ours, theirs, reading.reaching, reading.metric)
    else:
        ours, theirs = (
            of_cell(means, side).set_index("seed")[reading.metric]
            if isinstance(side, ScoreSource)
            else side
            for side in (contrast.ours, contrast.theirs)
        )
        least = most = ours - theirs
    if reading.sign < 0:
        least, most = -most, -least
    known = least.dropna()
    return {seed: (known[seed], most[seed]) for seed in known.index.to_list()}
