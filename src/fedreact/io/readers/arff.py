"""The .arff files of the UCR and UEA archives, read by scipy."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedreact.errors import UserError
from fedreact.io.archives import Archive, Case
from fedreact.io.contract import Recordings


@dataclass(frozen=True)
class Arff(Archive):
    """An .arff file: a line is a series, its last attribute the label or the target.

    Attributes
    ----------
    client
        Attribute that names who holds a series.
    """

    client: str | None = None
    SUFFIXES: ClassVar[tuple[str, ...]] = (".arff",)
    TITLE: ClassVar[str] = ".arff of the UCR and UEA archives"

    def read(self, source: str) -> Recordings:
        """Read the file, and the file of test series, if one is named."""
        return self.recordings(Path(source), self._cases)

    def _cases(self, path: Path) -> Iterator[Case]:
        """Yield the series of a file."""
        from scipy.io import arff

        try:
            data, meta = arff.loadarff(path)
        except Exception as error:  # scipy's parser has errors of many types
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise UserError(f"{path}: not a readable .arff file ({reason})") from None
        names, types = meta.names(), dict(zip(meta.names(), meta.types()))
        if self.client is not None and self.client not in names:
            raise UserError(f"{path}: no attribute {self.client!r}; there are {', '.join(names)}")
        last = names[-1]
        series = [name for name in names[:-1] if name != self.client]
        for number, row in enumerate(data, 1):
            where = f"{path}, series {number}"
            if len(series) == 1 and types[series[0]] == "relational":
                dimensions = [np.array(list(dimension), float) for dimension in row[series[0]]]
            else:
                dimensions = [np.array([row[name] for name in series], float)]
            # Short series end in missing values.
            end = 1 + max(
                (
                    int(np.flatnonzero(np.isfinite(d))[-1])
                    for d in dimensions
                    if np.isfinite(d).any()
                ),
                default=0,
            )
            yield Case(
                [d[:end] for d in dimensions],
                _text(row[last]) if types[last] != "numeric" else None,
                float(row[last]) if types[last] == "numeric" else None,
                where,
                None if self.client is None else _text(row[self.client]),
            )


def _text(value: Any) -> str:
    """Return the text of a nominal value, which scipy reads as bytes."""
    if isinstance(value, bytes):
        return value.decode()
    return str(int(value)) if float(value).is_integer() else str(value)


READER = Arff
