"""Explain a cell of a table: its runs, seeds, settings, digests, commit, machine and times.

Row and column may be parts of their labels; case does not matter.
"""

from pathlib import Path

from fedreact.cli.explaining import explained, in_json
from fedreact.command import parser, run
from fedreact.tables import origins


def main(args):
    """Read the file beside the table, print."""
    if args.table.suffix in (".md", ".tex"):  # the same table
        args.table = args.table.with_suffix(".csv")
    table = origins.read(args.table)
    cell = origins.find(table["cells"], args.row, args.column, args.metric)
    if args.json:
        print(in_json(args.table, table, cell))
    else:
        print("\n".join(explained(args.table, table, cell)))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("table", type=Path, help="e.g. results/quick/tables/table05.csv")
    p.add_argument("row", help='e.g. "10 clients"')
    p.add_argument("column", help='e.g. "w/ A2"')
    p.add_argument("--metric", help="e.g. rand (default: the first of the cell)")
    p.add_argument("--json", action="store_true", help="print everything about the cell, as JSON")
    run(main, p)
