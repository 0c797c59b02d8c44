"""Print a table that a run has built, or say where one of its cells came from.

Without a name: which tables there are.
"""

import shutil

from explain_cell import explained

from fedreact.command import parser, run
from fedreact.errors import UserError
from fedreact.tables import origins, terminal
from fedreact.workflow import built


def main(args):
    """Find what is asked for, print it."""
    if args.cell:
        print("\n".join(of_cell(args.cell, args.scale, args.metric)))
    elif args.table:
        csv = built.table(args.table, args.scale)
        columns = shutil.get_terminal_size((100, 24)).columns
        print(terminal.text(csv.with_suffix(".md").read_text(), columns), end="")
        print(f"\n{csv} has all of its numbers.")
    else:
        print("\n".join(built.overview(args.scale)))


def of_cell(text, scale, metric):
    """Lines on a cell ``table/row/column``; of labels with slashes, the first pair that fits."""
    name, pairs = built.places(text)
    csv = built.table(name, scale)
    table, errors = origins.read(csv), []
    for row, column in pairs:
        try:
            cell = origins.find(table["cells"], row, column, metric)
        except UserError as error:
            errors.append(error)
            continue
        return explained(csv, table, cell)
    raise errors[0]


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("table", nargs="?", help="e.g. table05")
    p.add_argument("--cell", help='table/row/column, e.g. "table05/10 clients/w/ A2"')
    p.add_argument("--metric", help="e.g. rand (default: the first of the cell)")
    p.add_argument("--scale", required=True, help="of the run, e.g. quick")
    run(main, p)
