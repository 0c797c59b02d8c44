"""Tables of pandas, with types."""

from typing import Any

import pandas as pd


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the lines of a table as mappings by the names of its columns."""
    return [{str(name): value for name, value in line.items()} for line in table.to_dict("records")]
