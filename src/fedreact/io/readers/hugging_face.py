"""Datasets of Hugging Face, by their names; needs the package datasets (extra hf)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from fedreact.errors import UserError, known
from fedreact.io.contract import Reader, Recordings
from fedreact.io.tables import Columns

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class HuggingFace(Columns, Reader):
    """A dataset of Hugging Face, e.g. owner/name: a row is a step, or a series if it holds lists.

    Splits named test are marked for testing. Labels of a feature of classes keep their names.

    Attributes
    ----------
    subset
        Name of a configuration of the dataset.
    splits
        Splits to read, with commas between them; ``null``: all.
    """

    subset: str | None = None
    splits: tuple[str, ...] | None = None
    TITLE: ClassVar[str] = "a dataset of Hugging Face by its name (--format hugging-face)"

    def read(self, source: str) -> Recordings:
        """Download the dataset, or find it in the cache, and read it."""
        try:
            library = import_module("datasets")
        except ImportError:
            raise UserError(
                "datasets of Hugging Face need the package datasets: pip install 'fedreact[hf]'"
            ) from None
        try:
            parts = dict(library.load_dataset(source, self.subset))
        except Exception as error:  # network, names, scripts: its errors have many types
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"{source}: not to be had from Hugging Face ({reason})") from None
        for name in self.splits or ():
            if name not in parts:
                raise UserError(f"{source}: no split {name!r}; there are {known(parts, name)}")
        chosen = {name: parts[name] for name in self.splits or parts}

        def tables() -> "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]":
            marks = len(chosen) > 1 and "test" in chosen and self.tested is None
            for name, part in chosen.items():
                fixed = {"tested": str(name == "test").lower()} if marks else {}
                yield self._frame(part), fixed, f"{source}, split {name}"

        return self.recordings(tables(), [])

    def _frame(self, part: Any) -> "pd.DataFrame":
        """Return a split as a table, with the names of its labels."""
        table: pd.DataFrame = part.to_pandas()
        names = getattr((part.features or {}).get(self.label), "names", None)
        if names is not None and self.label is not None:
            table[self.label] = [names[int(value)] for value in table[self.label]]
        return table


READER = HuggingFace
