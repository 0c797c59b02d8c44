"""Tables that a run has built, and the configuration of a cell or setting, as text."""

import json
import shutil
from pathlib import Path
from typing import Any

from fedreact.reading import read_yaml
from fedreact.resolve import configuration
from fedreact.resolve.plan import Plan
from fedreact.tables import terminal
from fedreact.workflow import built


def of_table(name: str, scale: str) -> str:
    """Show a built table.

    Raises
    ------
    UserError
        There is none of this name; the line says what builds it.
    """
    csv = built.table(name, scale)
    columns = shutil.get_terminal_size((100, 24)).columns
    shown = terminal.text(csv.with_suffix(".md").read_text(), columns)
    return f"{shown}\n{csv} has all of its numbers."


def in_json(name: str, scale: str) -> list[dict[str, Any]]:
    """Return the cells of a built table: its csv, numbers as numbers, ``None`` where it is empty.

    Raises
    ------
    UserError
        There is none of this name.
    """
    import pandas as pd

    lines = pd.read_csv(built.table(name, scale))
    cells: list[dict[str, Any]] = json.loads(lines.to_json(orient="records"))
    return cells


def of_cell(cell: str, scale: str, whole: bool = False) -> str:
    """Show what is run for ``table/row/column``: each option, and the line that sets it.

    ``whole`` says whether commands are shown in full.
    """
    plan = make_plan(scale)

    def lines(table: str, row: str, column: str) -> list[str]:
        return list(configuration.of_cell(plan, table, row, column, whole))

    return "\n".join(built.first_that_fits(cell, lines))


def of_setting(
    setting: str, scale: str, paper: str | None, method: str | None, whole: bool = False
) -> str:
    """Show what is run on a setting by a method, the first one if none is named."""
    plan = make_plan(scale)
    lines = configuration.of_setting(plan, paper or plan.papers[0], setting, method, whole)
    return "\n".join(lines)


def make_plan(scale: str) -> Plan:
    """Return the plan of the current folder at a scale."""
    return Plan(read_yaml(Path("config/config.yaml")) | {"scale": scale})
