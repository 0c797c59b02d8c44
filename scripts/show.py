"""Print a table that a run has built, or what is run for one of its cells, or on a setting.

Without a name: which tables there are.
"""

import shutil
from pathlib import Path

from explain_cell import explained

from fedreact.command import parser, run
from fedreact.reading import read_yaml
from fedreact.resolve import configuration
from fedreact.resolve.plan import Plan
from fedreact.tables import origins, terminal
from fedreact.workflow import built


def main(args):
    """Find what is asked for, print it."""
    if args.origin:
        print("\n".join(built.first_that_fits(args.cell, lambda *cell: of_built(args, *cell))))
    elif args.cell or args.setting:
        plan = Plan(read_yaml(Path("config/config.yaml")) | {"scale": args.scale})
        if args.setting:
            lines = configuration.of_setting(
                plan, args.paper or plan.papers[0], args.setting, args.method, args.whole
            )
        else:
            lines = built.first_that_fits(
                args.cell, lambda *cell: configuration.of_cell(plan, *cell, args.whole)
            )
        print("\n".join(lines))
    elif args.table:
        csv = built.table(args.table, args.scale)
        columns = shutil.get_terminal_size((100, 24)).columns
        print(terminal.text(csv.with_suffix(".md").read_text(), columns), end="")
        print(f"\n{csv} has all of its numbers.")
    else:
        print("\n".join(built.overview(args.scale)))


def of_built(args, name, row, column):
    """Lines on the runs, files, code and times that the number in a built cell came from."""
    csv = built.table(name, args.scale)
    table = origins.read(csv)
    return explained(csv, table, origins.find(table["cells"], row, column, args.metric))


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("table", nargs="?", help="e.g. table05")
    p.add_argument("--cell", help='table/row/column, e.g. "table05/10 clients/w/ A2"')
    p.add_argument("--origin", action="store_true", help="where the built number came from")
    p.add_argument("--metric", help="with --origin, e.g. rand (default: the first of the cell)")
    p.add_argument("--setting", help="e.g. stationary10")
    p.add_argument("--method", help="with --setting, e.g. ifca (default: the first there)")
    p.add_argument("--paper", help="with --setting (default: the first of config.yaml)")
    p.add_argument("--whole", action="store_true", help="print commands in full")
    p.add_argument("--scale", required=True, help="of the run, e.g. quick")
    run(main, p)
