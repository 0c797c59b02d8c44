"""CSV and Parquet files, one or a folder of them, read by pandas."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from fedreact.errors import UserError
from fedreact.io import files_of_tables
from fedreact.io.contract import Reader, Recordings, files_of
from fedreact.io.patterns import matched
from fedreact.io.tables import Columns

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Table(Columns, Reader):
    """A table whose rows are steps, or a folder of such tables.

    Rows of one client and one trial are a recording, in the order of time; a file without a column
    for clients is one recording. If the entries of its channels are lists of numbers, a row is a
    series.

    Attributes
    ----------
    pattern
        What the names of files say, from the folder on: {client}/{label}_{trial}.csv; an asterisk
        stands for any text.
    separator
        What stands between the columns of text files; ``null``: a tab in .tsv files, white space in
        .txt files, else a comma, or a semicolon, tab or bar where the first line has no comma.
    decimal
        Decimal sign of the numbers of text files; ``null``: a point, or a comma where the numbers
        of a column have one and no comma stands between columns.
    encoding
        Encoding of text files, e.g. cp1252.
    columns
        Names of the columns, with commas between them, if text files have no header.
    """

    pattern: str | None = None
    separator: str | None = None
    decimal: Literal[".", ","] | None = None
    encoding: str = "utf-8"
    columns: tuple[str, ...] = ()
    SUFFIXES: ClassVar[tuple[str, ...]] = (
        *(".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".pq"),
    )
    FOLDERS: ClassVar[bool] = True
    TITLE: ClassVar[str] = "CSV or Parquet, a table or a folder of tables"

    def read(self, source: str) -> Recordings:
        """Read all files."""
        named, notes = matched(files_of(source, self.SUFFIXES), source, self.pattern)
        recognised: dict[str, None] = {}
        decimal = self.decimal

        def tables() -> "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]":
            nonlocal decimal
            for path, fixed in named:
                style = files_of_tables.style_of(
                    path, self.separator, decimal, self.encoding, self.columns
                )
                if style.decimal == ",":  # the next files have it, too, also where it is unsure
                    decimal = ","
                recognised.update(dict.fromkeys(style.notes))
                yield files_of_tables.read(path, style, self.columns), fixed, str(path)

        try:
            made = self.recordings(tables(), notes)
        except UserError as error:
            if self.pattern is None and len(named) > 1:
                advice = "if this file is none of the data, leave it out by --pattern"
                raise UserError(f"{error} ({advice})") from error
            raise
        files: list[Path] = [path for path, _ in named]
        notes = [*recognised, *made.notes]
        return Recordings(made.channels, made.parts, made.targets, files, notes)


READER = Table
