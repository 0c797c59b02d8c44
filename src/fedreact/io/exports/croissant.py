"""Croissant metadata (mlcommons.org/croissant), which search engines of data read.

The series are written as a Parquet file, a row each, which ``croissant.json`` describes.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedreact.atomic import atomic, write_text
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.io import exporting

TABLE = "series.parquet"


@dataclass(frozen=True)
class Croissant(exporting.DataExport):
    """croissant.json and series.parquet.

    Attributes
    ----------
    license
        Licence of the data, e.g. https://creativecommons.org/licenses/by/4.0/.
    description
        What the data is, in a sentence.
    url
        Page of the data.
    cite
        How to cite it.
    """

    license: str | None = None
    description: str | None = None
    url: str | None = None
    cite: str | None = None
    TITLE: ClassVar[str] = "Croissant: croissant.json, series.parquet"

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write the table and the metadata; needs the package mlcroissant."""
        try:
            import mlcroissant as mlc
        except ImportError:
            raise UserError(
                "Croissant needs the package mlcroissant: pip install 'fedreact[croissant]'"
            ) from None
        import pandas as pd

        columns = _columns(data)
        table = pd.DataFrame({name: values for name, (_, values) in columns.items()})
        with atomic(folder / TABLE) as path:
            table.to_parquet(path, index=False)
        content = (folder / TABLE).read_bytes()
        file = mlc.FileObject(
            id=TABLE,
            name=TABLE,
            content_url=TABLE,
            content_size=f"{len(content)} B",
            encoding_formats=["application/x-parquet"],
            sha256=hashlib.sha256(content).hexdigest(),
        )
        types = {
            "text": mlc.DataType.TEXT,
            "number": mlc.DataType.FLOAT,
            "integer": mlc.DataType.INTEGER,
            "boolean": mlc.DataType.BOOL,
        }
        fields = [
            mlc.Field(
                id=f"series/{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}",
                name=name,
                description=_meaning(name, data),
                data_types=[types[kind.removesuffix("s")]],
                is_array=kind.endswith("s"),
                array_shape="-1" if kind.endswith("s") else None,
                source=mlc.Source(file_object=TABLE, extract=mlc.Extract(column=name)),
            )
            for name, (kind, _) in columns.items()
        ]
        metadata = mlc.Metadata(
            name=data.name,
            description=self.description or f"{len(data.X)} time series of {data.name}",
            license=[self.license] if self.license else None,
            url=self.url,
            cite_as=self.cite,
            distribution=[file],
            record_sets=[mlc.RecordSet(id="series", name="series", fields=fields)],
        )
        text = json.dumps(metadata.to_json(), indent=1, default=str, ensure_ascii=False)
        write_text(folder / "croissant.json", text + "\n")
        lacking = [name for name in ("license", "url", "cite") if getattr(self, name) is None]
        return [f"state the {name}: --{name}" for name in lacking]


def _columns(data: SeriesDataset) -> dict[str, tuple[str, Any]]:
    """Return the columns of the table: the type of each, and its values."""
    every = np.arange(len(data.X))
    X, lengths = exporting.series(data, every), data.lengths
    columns: dict[str, tuple[str, Any]] = {}
    if data.owner is not None:
        columns["client"] = "text", [data.owner_name(int(k)) for k in data.owner]
    if data.y.dtype == np.int64:
        columns["label"] = "text", [data.label_name(int(label)) for label in data.y]
    else:
        kind = "boolean" if data.y.dtype == bool else "number"
        for m, values in enumerate(data.y.reshape(len(X), -1).T):
            columns[f"target {data.label_name(m)}"] = kind, values
    optional = {"trial": "integer", "time": "number", "tested": "boolean"}
    for name, kind in optional.items():
        if getattr(data, name) is not None:
            columns[name] = kind, getattr(data, name)
    for c in range(data.task.channels):
        steps = [X[i, c, : lengths[i]].tolist() for i in every]
        columns[f"channel {data.channel_name(c)}"] = "numbers", steps
    return columns


def _meaning(name: str, data: SeriesDataset) -> str:
    """Say what a column of the table holds."""
    return {
        "client": "who holds the series",
        "label": "label of the series",
        "trial": "series of one trial may overlap in time",
        "time": "seconds at which the series ends",
        "tested": "whether the series is for testing",
    }.get(name, f"{name} of the series")


EXPORT = Croissant
