"""Where the number in a built cell came from, and whether files and code are still the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fedreact import provenance
from fedreact.digest import code_digest
from fedreact.tables import origins
from fedreact.tables.files import results_of
from fedreact.workflow import built


def of_cell(cell: str, scale: str, metric: str | None = None, as_json: bool = False) -> str:
    """Explain ``table/row/column`` of a scale: its runs, files, code and times.

    Raises
    ------
    UserError
        The table is not built, or has no such cell.
    """

    def read(name: str, row: str, column: str) -> str:
        csv = built.table(name, scale)
        table = origins.read(csv)
        found = origins.find(table["cells"], row, column, metric)
        return in_json(csv, table, found) if as_json else "\n".join(explained(csv, table, found))

    return built.first_that_fits(cell, read)


def in_json(csv: Path, table: dict[str, Any], cell: dict[str, Any]) -> str:
    """Write all that is known of a cell as JSON."""
    made = provenance.read_record(results_of(csv), csv)
    return json.dumps(origins.part(table, cell) | {"made": made}, indent=1)


def explained(csv: Path, table: dict[str, Any], cell: dict[str, Any]) -> Iterator[str]:
    """Yield lines for people on a cell of a table."""
    if is_now(str(csv), table["csv"]["sha256"]) is False:
        yield f"{csv} has changed since this was written; make it again\n"
    made = provenance.read_record(results_of(csv), csv)
    yield from origins.describe(origins.part(table, cell), made, is_now, code_now)


def is_now(path: str, digest: str) -> bool | None:
    """Say whether a file still has this digest; ``None`` if it is gone."""
    return provenance.sha256(Path(path)) == digest if Path(path).is_file() else None


def code_now(record: dict[str, Any]) -> str | None:
    """Return today's digest of the code that made a record's results, if it is all there."""
    files = [Path(record["script"]), *map(Path, record.get("plugins", []))]
    return code_digest(*files) if all(file.is_file() for file in files) else None
