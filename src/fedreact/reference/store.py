"""The files of a kept run: all tables of a paper lie in one compressed csv.

A csv that is named ``tables/<table>.csv`` is a part of that file; any other is a file of its own.
"""

import csv
import gzip
import io
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from fedreact.atomic import atomic

TABLES = "tables.csv.gz"
"""All cells of a paper's tables, with their means and intervals."""
VALUES = "values.csv.gz"
"""One value for each seed of a cell, and of a contrast of a claim: see
:mod:`fedreact.reference.values`."""


def write(path: Path, text: str) -> None:
    """Write a compressed text; the same text gives the same bytes, whenever it is written."""
    with atomic(path) as temporary:
        temporary.write_bytes(gzip.compress(text.encode(), mtime=0))


def joined(texts: Iterable[str]) -> str:
    """Join csv texts, whose columns may differ, below one header."""
    parts = [csv.DictReader(io.StringIO(text)) for text in texts]
    columns = dict.fromkeys(name for part in parts for name in part.fieldnames or ())
    return _text(list(columns), [line for part in parts for line in part])


def names(folder: Path) -> list[str]:
    """Name the tables that a kept run has, in the order of the alphabet.

    Parameters
    ----------
    folder
        Folder of a paper, e.g. ``reference/quick/fed_react``.
    """
    return sorted(_tables(folder / TABLES))


def where(folder: Path, file: str) -> Path | None:
    """Return the path of the file that holds a kept csv, or ``None`` if there is none.

    Parameters
    ----------
    folder
        Folder of a scale, with a folder of each paper.
    file
        Path below the folder of its paper, e.g. ``tables/table05.csv`` or ``claims/fedst.csv``; or
        with its paper, e.g. ``fed_react/multiverse/claims.csv``.
    """
    if (folder / file).is_file():
        return folder / file
    kind, _, name = file.partition("/")
    if kind != "tables":
        return next(folder.glob(f"*/{file}"), None)
    packs = sorted(folder.glob(f"*/{TABLES}"))
    return next((path for path in packs if name.removesuffix(".csv") in _tables(path)), None)


def text(path: Path, file: str) -> str:
    """Return the text of a csv, as the run wrote it, from the file that :func:`where` names."""
    if path.name == TABLES:
        return _tables(path)[Path(file).stem]
    return unpacked(path) if path.suffix == ".gz" else path.read_text()


def unpacked(path: Path) -> str:
    """Read what :func:`write` wrote."""
    return gzip.decompress(path.read_bytes()).decode()


def table(folder: Path, name: str) -> io.StringIO:
    """Open a table of a paper's folder like a csv file."""
    return io.StringIO(_tables(folder / TABLES)[name])


def _tables(path: Path) -> dict[str, str]:
    """Return the texts of tables by name; a file is read again if it has changed."""
    if not path.is_file():
        return {}
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _read(path: Path, mtime: int, size: int) -> dict[str, str]:
    """Read the texts of tables by name; time and size tell the versions of a file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file)
        by_table: dict[str, list[dict[str, str]]] = {}
        for line in lines:
            by_table.setdefault(line["table"], []).append(line)
        columns = list(lines.fieldnames or ())
        return {name: _text(columns, of_table) for name, of_table in by_table.items()}


def _text(columns: list[str], lines: Iterable[Mapping[str, str]]) -> str:
    """Write a csv."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return file.getvalue()
