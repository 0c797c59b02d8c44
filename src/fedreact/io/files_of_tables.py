"""CSV and Parquet files as tables of pandas: what stands between columns, and decimal commas."""

import codecs
import gzip
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fedreact.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
"""What may stand between the columns of a CSV file in place of commas, with its name."""
NUMBER = r"[+-]?\d+(?:,\d+)?(?:[eE][+-]?\d+)?"
"""A number whose decimal sign, if it has one, is a comma."""
THOUSANDS = r"[+-]?(?:[1-9]\d{0,2}(?:,\d{3})?|0)"
"""A number whose comma may group thousands, as in 1,250, or that has no comma."""
LOOKED_AT = 1000
"""Rows in which decimal commas are looked for."""


@dataclass(frozen=True)
class Style:
    """How a text file writes a table.

    Attributes
    ----------
    separator
        What stands between columns.
    decimal
        Decimal sign of numbers.
    encoding
        Encoding of its characters.
    notes
        Sentences on what was recognised and not stated.
    """

    separator: str
    decimal: str = "."
    encoding: str = "utf-8"
    notes: tuple[str, ...] = ()


def read(path: Path, style: Style, columns: tuple[str, ...]) -> "pd.DataFrame":
    """Read a CSV or Parquet file by pandas.

    Parameters
    ----------
    style
        How it writes a table, if it is a text file.
    columns
        Names of the columns of a text file without a header.

    Raises
    ------
    UserError
        It is no such file.
    """
    import pandas as pd

    try:
        if is_parquet(path):
            return pd.read_parquet(path)
        return _read_text(path, style, columns)
    except ImportError as error:
        raise UserError(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: its characters are not {style.encoding} ({error.reason}); name their "
            "encoding by --encoding, e.g. cp1252 for many files of Excel"
        ) from None
    except Exception as error:  # whatever a parser says of damaged bytes
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(f"{path}: not a readable table ({reason})") from None


def style_of(
    path: Path,
    separator: str | None,
    decimal: str | None,
    encoding: str,
    columns: tuple[str, ...],
) -> Style:
    """Recognise how a text file writes a table, where it is not stated.

    Semicolons, tabs or bars stand between columns if the first line has some and no comma. Decimal
    signs are commas if no comma stands between columns, a column holds such numbers alone, and not
    all of its commas may group thousands.

    Raises
    ------
    UserError
        There is no such encoding.
    """
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise UserError(f"--encoding {encoding!r} is no encoding; e.g. utf-8, cp1252") from None
    if is_parquet(path):
        return Style(",")
    notes = []
    if separator is None:
        ends = path.name.lower().removesuffix(".gz")
        separator = {".tsv": "\t", ".txt": r"\s+"}.get(Path(ends).suffix)
    if separator is None:
        separator = _separator(_first_line(path, encoding), len(columns))
        if separator in SEPARATORS:
            notes.append(f"{SEPARATORS[separator]} stand between columns (--separator)")
    as_texts = Style(separator, ".", encoding)
    if decimal is None and separator != "," and _has_commas(path, as_texts, columns):
        notes.append("numbers have decimal commas (--decimal)")
        decimal = ","
    return Style(separator, decimal or ".", encoding, tuple(notes))


def is_parquet(path: Path) -> bool:
    """Tell by its name whether a file is a Parquet file."""
    return path.name.lower().endswith((".parquet", ".pq"))


def _read_text(
    path: Path, style: Style, columns: tuple[str, ...], rows: int | None = None, typed: bool = True
) -> "pd.DataFrame":
    """Read some rows of a text file, as numbers where they are typed, else as texts."""
    import pandas as pd

    names = {"names": list(columns), "header": None} if columns else {}
    table: pd.DataFrame = pd.read_csv(  # type: ignore[call-overload]
        path,
        sep=style.separator,
        decimal=style.decimal,
        encoding=style.encoding,
        skipinitialspace=True,
        nrows=rows,
        **({} if typed else {"dtype": str}),
        **names,
    )
    return table


def _first_line(path: Path, encoding: str) -> str:
    """Return the first line of a text file; empty where it cannot be read."""
    try:
        opened = gzip.open if path.name.lower().endswith(".gz") else open
        with opened(path, "rt", encoding=encoding, errors="replace") as file:
            return file.readline().rstrip("\r\n")
    except (OSError, EOFError):  # read() says in one line what is wrong
        return ""


def _separator(line: str, n_columns: int) -> str:
    """Choose what stands between columns by the first line; a comma, if nothing else is sure.

    ``n_columns`` is the number of columns of a file without a header, whose first line may have
    decimal commas; 0 if the first line is a header.
    """
    for one in SEPARATORS:
        fits = line.count(one) + 1 == n_columns if n_columns else "," not in line
        if one in line and fits:
            return one
    return ","


def _has_commas(path: Path, style: Style, columns: tuple[str, ...]) -> bool:
    """Tell whether a column holds numbers with decimal commas, by its first rows."""
    try:
        texts = _read_text(path, style, columns, LOOKED_AT, typed=False)
    except Exception:  # damaged bytes can fail anywhere; read() says in one line where
        return False
    for name in texts:
        entries = [text.strip() for text in texts[name].dropna()]
        numbers = entries and all(re.fullmatch(NUMBER, text) for text in entries)
        if numbers and any("," in text and not re.fullmatch(THOUSANDS, text) for text in entries):
            return True
    return False
