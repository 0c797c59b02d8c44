"""Published values of a table: what a paper prints, of what, and what of it is in doubt."""

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from fedreact import options
from fedreact.errors import UserError, unknown
from fedreact.reading import read_yaml

NOTHING = {"source": "nothing", "data": "", "metric": "", "columns": [], "rows": {}}
NOTHING |= {"unstated": {}}


def read(path: Path | None) -> dict:
    """Read and check published values; there may be none."""
    if path is None:
        return NOTHING
    published = read_yaml(path)
    check(published, str(path))
    return published


def check(published: dict, where: str) -> None:
    """Check the content of a file of published values.

    Raises
    ------
    UserError
        One line: which file, which key or row, what is wrong.
    """
    kinds = {"source": str, "data": str, "metric": str, "columns": list, "rows": dict}
    kinds |= {"unstated": dict}
    if not isinstance(published, dict):
        raise UserError(f"{where}: holds no keys; wanted {', '.join(kinds)}")
    more = ["data_of", "metric_of", "unlabelled", "unsure", "plus_minus"]
    if strange := sorted(set(map(str, published)) - {*kinds, *more}):
        raise UserError(f"{where}: unknown key {strange[0]}; known: {', '.join([*kinds, *more])}")
    for key, kind in kinds.items():
        if not isinstance(published.get(key), kind):
            raise UserError(f"{where}: {key} must be a {kind.__name__}")
    n, beside = len(published["columns"]), published.get("plus_minus", {})
    if not isinstance(beside, dict):
        raise UserError(f"{where}: plus_minus must be a dict")
    if odd := [name for name in beside if name not in published["rows"]]:
        raise UserError(f"{where}: plus_minus: {unknown(odd[0], published['rows'])}")
    for name, row in [*published["rows"].items(), *beside.items()]:
        if not isinstance(row, list) or len(row) != n:
            found = len(row) if isinstance(row, list) else "no"
            raise UserError(f"{where}: row {name!r} has {found} values for {n} columns")
        if wrong := [value for value in row if not _is_number(value)]:
            raise UserError(f"{where}: row {name!r} holds {wrong[0]!r}, which is no number")
    for name, row in beside.items():
        if wrong := [value for value in row if value is not None and value < 0]:
            at = f"{where}: row {name!r} of plus_minus"
            raise UserError(f"{at} holds {wrong[0]!r}, which is negative")
    if not all(isinstance(column, str) for column in published["columns"]):
        raise UserError(f"{where}: columns must be texts")
    for row in published.get("unlabelled", []):
        if not isinstance(row, list) or len(row) != n or not all(map(_is_number, row)):
            raise UserError(f"{where}: unlabelled: wanted rows of {n} numbers, got {row!r}")
    options.check(Doubts, {k: v for k, v in published.items() if k in DOUBTS}, where)


def _is_number(value):
    return value is None or (type(value) in (int, float) and abs(value) < 1e15)


@dataclass(frozen=True)
class Doubts:
    """What published values are of, and why some cannot be judged, by their rows."""

    unstated: dict[str, str] = field(default_factory=dict)
    data_of: dict[str, str] = field(default_factory=dict)
    metric_of: dict[str, str] = field(default_factory=dict)
    unsure: dict[str, dict[str, str]] = field(default_factory=dict)


DOUBTS = options.names(Doubts)


def value_of(published: dict, row: str, column: str, metric: str) -> float | None:
    """Published value of a cell, if there is one of this metric."""
    if metric != published.get("metric_of", {}).get(row, published["metric"]):
        return None
    return dict(zip(published["columns"], published["rows"].get(row, []))).get(column)


def plus_minus(published: dict, row: str, column: str) -> float | None:
    """What is printed after the ± of a cell's published value, if anything is."""
    return dict(zip(published["columns"], published.get("plus_minus", {}).get(row, []))).get(column)


def unsure(published: dict, row: str, column: str) -> str | None:
    """Why a single published value is in doubt; ``None`` if it is not."""
    return published.get("unsure", {}).get(row, {}).get(column)


def doubts(published: dict) -> dict[tuple[str, str], str]:
    """Why single published values cannot be judged, by row and column."""
    return {
        (row, column): doubt
        for row, columns in published.get("unsure", {}).items()
        for column, doubt in columns.items()
    }


def decimals_beside(value: float, row: list[float]) -> int:
    """Decimals that a published value is rounded to.

    YAML drops trailing zeros (0.750): it has those of most values of its row, or its own if more.
    """
    counts = [decimals_of(v) for v in row if v is not None]
    return max(max(set(counts), key=counts.count), decimals_of(value))


def decimals_of(value: float) -> int:
    """Decimals that a number is written with: 2 of 0.92, 5 of 1e-05, 0 of 12."""
    return max(0, -Decimal(str(value)).as_tuple().exponent)
