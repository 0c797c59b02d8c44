"""Where the files of a table lie."""

from pathlib import Path

ORIGINS = ".provenance.json"
"""Suffix of a table's origins (:mod:`fedreact.tables.origins`), beside its csv."""

ON = "on"
"""Folder of the tables and figures of data that a user chose, below the folder of a scale."""


def results_of(output: Path) -> Path:
    """Return the folder of the scale of a table or figure."""
    above = output.parent.parent
    return above.parent.parent if above.parent.name == ON else above
