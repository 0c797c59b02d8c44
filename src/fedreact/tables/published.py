"""Published values of a table: what a paper prints, of what, and what of it is in doubt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from fedreact import options
from fedreact.errors import UserError, unknown
from fedreact.reading import read_yaml

Published = Mapping[str, Any]
"""The content of a file of published values, checked."""

KINDS: dict[str, type] = {"source": str, "data": str, "metric": str}
KINDS |= {"columns": list, "rows": dict, "unstated": dict}
"""Keys of a file, and the type of each."""

OPTIONAL = ("data_of", "metric_of", "unlabelled", "unsure", "plus_minus", "nearly")
"""Keys that a file may lack."""

NOTHING: Published = {key: kind() for key, kind in KINDS.items()} | {"source": "nothing"}
"""What stands for a file where there is none."""


def read(path: Path | None) -> Published:
    """Read and check published values; there may be no file.

    Raises
    ------
    UserError
        As :func:`check`; or the file cannot be read.
    """
    if path is None:
        return NOTHING
    published = read_yaml(path)
    check(published, str(path))
    return published


def check(published: Any, where: str) -> None:
    """Check the content of a file of published values.

    Raises
    ------
    UserError
        One line: which file, which key or row, what is wrong.
    """
    _check_keys(published, where)
    _check_plus_minus(published, where)
    n = len(published["columns"])
    for name, row in [*published["rows"].items(), *published.get("plus_minus", {}).items()]:
        _check_row(name, row, n, where)
    for name, row in published.get("plus_minus", {}).items():
        if wrong := [value for value in row if value is not None and value < 0]:
            raise UserError(
                f"{where}: row {name!r} of plus_minus holds {wrong[0]!r}, which is negative"
            )
    if not all(isinstance(column, str) for column in published["columns"]):
        raise UserError(f"{where}: columns must be texts")
    for row in published.get("unlabelled", []):
        if not isinstance(row, list) or len(row) != n or not all(map(_is_number, row)):
            raise UserError(f"{where}: unlabelled: wanted rows of {n} numbers, got {row!r}")
    options.check(Doubts, {k: v for k, v in published.items() if k in DOUBTS}, where)
    _check_nearly(published, where)


def _check_keys(published: Any, where: str) -> None:
    """Check that all keys are known, and that those that must be there have their types."""
    if not isinstance(published, dict):
        raise UserError(f"{where}: holds no keys; wanted {', '.join(KINDS)}")
    known = [*KINDS, *OPTIONAL]
    if strange := sorted(set(map(str, published)) - set(known)):
        raise UserError(f"{where}: unknown key {strange[0]}; known: {', '.join(known)}")
    for key, kind in KINDS.items():
        if not isinstance(published.get(key), kind):
            raise UserError(f"{where}: {key} must be a {kind.__name__}")


def _check_plus_minus(published: Published, where: str) -> None:
    """Check that numbers after ± are those of rows that there are."""
    beside = published.get("plus_minus", {})
    if not isinstance(beside, dict):
        raise UserError(f"{where}: plus_minus must be a dict")
    if unnamed := [name for name in beside if name not in published["rows"]]:
        raise UserError(f"{where}: plus_minus: {unknown(unnamed[0], published['rows'])}")


def _check_nearly(published: Published, where: str) -> None:
    """Check that what differs is said of rows that there are: another would be comparable."""
    nearly = published.get("nearly", {})
    if unnamed := [name for name in nearly if name not in published["rows"]]:
        raise UserError(f"{where}: nearly: {unknown(unnamed[0], published['rows'])}")


def _check_row(name: Any, row: Any, n: int, where: str) -> None:
    """Check that a row has a number, or nothing, for each of n columns."""
    if not isinstance(row, list) or len(row) != n:
        length = len(row) if isinstance(row, list) else "no"
        raise UserError(f"{where}: row {name!r} has {length} values for {n} columns")
    if wrong := [value for value in row if not _is_number(value)]:
        raise UserError(f"{where}: row {name!r} holds {wrong[0]!r}, which is no number")


def _is_number(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and abs(value) < 1e15)


@dataclass(frozen=True)
class Doubts:
    """What published values are of, and why some cannot be judged, by their rows.

    Attributes
    ----------
    unstated
        What the paper leaves open without which nothing can be compared.
    nearly
        What differs where the recordings and the task are the paper's.
    data_of, metric_of
        Dataset and metric of rows that do not have those of the table.
    unsure
        Why single values are in doubt, by row and column.
    """

    unstated: dict[str, str] = field(default_factory=dict)
    nearly: dict[str, str] = field(default_factory=dict)
    data_of: dict[str, str] = field(default_factory=dict)
    metric_of: dict[str, str] = field(default_factory=dict)
    unsure: dict[str, dict[str, str]] = field(default_factory=dict)


DOUBTS = options.names(Doubts)


def value_of(published: Published, row: str, column: str, metric: str) -> float | None:
    """Return the published value of a cell, if there is one of this metric."""
    if metric != published.get("metric_of", {}).get(row, published["metric"]):
        return None
    return dict(zip(published["columns"], published["rows"].get(row, []))).get(column)


def plus_minus(published: Published, row: str, column: str) -> float | None:
    """Return the number after the ± of a cell's published value; ``None`` if there is none."""
    return dict(zip(published["columns"], published.get("plus_minus", {}).get(row, []))).get(column)


def unsure(published: Published, row: str, column: str) -> str | None:
    """Return why a single published value is in doubt; ``None`` if it is not."""
    return published.get("unsure", {}).get(row, {}).get(column)


def doubts(published: Published) -> dict[tuple[str, str], str]:
    """Return why single published values cannot be judged, by row and column."""
    return {
        (row, column): doubt
        for row, columns in published.get("unsure", {}).items()
        for column, doubt in columns.items()
    }


def decimals_beside(value: float, row: Sequence[float | None]) -> int:
    """Return the number of decimals that a published value is rounded to.

    YAML drops trailing zeros (0.750): it has those of most values of its row, or its own if more.
    """
    counts = [decimals_of(v) for v in row if v is not None]
    return max(max(set(counts), key=counts.count), decimals_of(value))


def decimals_of(value: float) -> int:
    """Return the number of decimals that a number is written with: 2 of 0.92, 5 of 1e-05."""
    _, point, decimals = f"{Decimal(str(value)):f}".partition(".")
    return len(decimals) if point else 0
