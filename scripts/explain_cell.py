"""Explain a cell of a table: its runs, seeds, settings, digests, commit, machine and times.

Row and column may be parts of their labels; case does not matter.
"""

import json
from pathlib import Path

from fedreact import provenance
from fedreact.command import parser, run
from fedreact.digest import code_digest
from fedreact.tables import origins
from fedreact.tables.files import results_of


def main(args):
    """Read the file beside the table, print."""
    if args.table.suffix in (".md", ".tex"):  # the same table
        args.table = args.table.with_suffix(".csv")
    table = origins.read(args.table)
    cell = origins.find(table["cells"], args.row, args.column, args.metric)
    if args.json:
        made = provenance.read_record(results_of(args.table), args.table)
        print(json.dumps(origins.part(table, cell) | {"made": made}, indent=1))
    else:
        print("\n".join(explained(args.table, table, cell)))


def explained(csv, table, cell):
    """Yield lines for people on a cell of a table."""
    if is_now(str(csv), table["csv"]["sha256"]) is False:
        yield f"{csv} has changed since this was written; make it again\n"
    made = provenance.read_record(results_of(csv), csv)
    yield from origins.describe(origins.part(table, cell), made, is_now, code_now)


def is_now(path, digest):
    """Say whether a file still has this digest; ``None`` if it is gone."""
    return provenance.sha256(Path(path)) == digest if Path(path).is_file() else None


def code_now(record):
    """Return today's digest of the code that made a record's results, if it is all there."""
    files = [Path(record["script"]), *map(Path, record.get("plugins", []))]
    return code_digest(*files) if all(file.is_file() for file in files) else None


if __name__ == "__main__":
    p = parser(__doc__)
    p.add_argument("table", type=Path, help="e.g. results/quick/tables/table05.csv")
    p.add_argument("row", help='e.g. "10 clients"')
    p.add_argument("column", help='e.g. "w/ A2"')
    p.add_argument("--metric", help="e.g. rand (default: the first of the cell)")
    p.add_argument("--json", action="store_true", help="print everything about the cell, as JSON")
    run(main, p)
