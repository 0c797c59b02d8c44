"""Write the means of all tables' cells to one JSON file, by table, row, column and metric.

``dvc metrics diff`` compares two versions of the results in this form.
"""

import json
from pathlib import Path

import pandas as pd

from fedreact.atomic import write_text
from fedreact.command import parser, run


def main(args):
    """Read the tables, write the means of the cells that were rebuilt."""
    metrics = {}
    for path in args.tables:
        for cell in pd.read_csv(path).query("n_seeds > 0").to_dict("records"):
            by_column = metrics.setdefault(cell["table"], {}).setdefault(cell["row"], {})
            by_column.setdefault(cell["column"], {})[cell["metric"]] = cell["mean"]
    write_text(args.output, json.dumps(metrics, indent=1) + "\n")


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("--tables", type=Path, nargs="+", required=True, help="tables, csv")
    p.add_argument("--output", type=Path, required=True)
    run(main, p)
