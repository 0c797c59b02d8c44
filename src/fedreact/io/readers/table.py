"""CSV and Parquet files, one or a folder of them, read by pandas."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from fedreact.errors import UserError
from fedreact.io.contract import Reader, Recordings, files_of
from fedreact.io.patterns import matched
from fedreact.io.tables import Columns, read_table

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
        What stands between the columns of text files; ``null``: a comma, a tab in .tsv files, white
        space in .txt files.
    columns
        Names of the columns, with commas between them, if text files have no header.
    """

    pattern: str | None = None
    separator: str | None = None
    columns: tuple[str, ...] = ()
    SUFFIXES: ClassVar[tuple[str, ...]] = (
        *(".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".pq"),
    )
    FOLDERS: ClassVar[bool] = True
    TITLE: ClassVar[str] = "CSV or Parquet, a table or a folder of tables"

    def read(self, source: str) -> Recordings:
        """Read all files."""
        named, notes = matched(files_of(source, self.SUFFIXES), source, self.pattern)

        def tables() -> "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]":
            for path, fixed in named:
                yield read_table(path, self.separator, self.columns), fixed, str(path)

        try:
            made = self.recordings(tables(), notes)
        except UserError as error:
            if self.pattern is None and len(named) > 1:
                advice = "if this file is none of the data, leave it out by --pattern"
                raise UserError(f"{error} ({advice})") from error
            raise
        files: list[Path] = [path for path, _ in named]
        return Recordings(made.channels, made.parts, made.targets, files, made.notes)


READER = Table
