"""Values by seed, from which the numbers of a kept run can be made again.

A mean and its interval cannot be checked; the values that they are of can. So each seed of each
cell of a table is kept, and each seed of each contrast of a claim.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from fedreact import provenance
from fedreact.claims.judged import Asked, differences
from fedreact.errors import UserError
from fedreact.tables import origins
from fedreact.tables.cells import read_scores
from fedreact.workflow.files import results_of

COLUMNS = ["table", "row", "column", "claim", "reading", "at", "left", "right"]
COLUMNS += ["metric", "seed", "value", "most"]
"""Of the csv: labels as in the csv of tables and of claims, and empty where they do not apply.

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
        Nothing says what a file was made from.
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
    inputs = [Path(path) for path in record["inputs"]]
    scores = read_scores([path for path in inputs if path.is_relative_to(results / "runs")])
    for asked in map(Asked.of, json.loads(record["options"]["asked"])):
        about = {"claim": asked.claim, "reading": asked.reading, "metric": asked.metric}
        for contrast, (least, most), _ in differences(asked, scores):
            labels = {"at": contrast.at, "left": contrast.left, "right": contrast.right}
            for seed, value in least.items():
                bound = None if most[seed] == value else most[seed]
                yield about | labels | {"seed": seed, "value": value, "most": bound}
