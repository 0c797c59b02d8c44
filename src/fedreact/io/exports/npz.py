"""A file for each client, with the arrays of docs/howto/own_data.md."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.io import exporting

ALIKE = ("lengths", "trial", "time", "previous")
"""Arrays of a dataset that are written as they are, if it has them."""


@dataclass(frozen=True)
class Npz(exporting.DataExport):
    """X, y, lengths, tested, ... of each client in a file, and partition.json."""

    TITLE: ClassVar[str] = "an npz file for each client"

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write the files; ``index`` are the places of the series in the dataset."""
        drawn = exporting.clients(drawn, data)
        about = []
        for k, name, sets in exporting.held(drawn):
            which = np.concatenate(list(sets.values()))
            arrays = {
                "X": exporting.series(data, which),
                "y": data.y[which],
                "tested": np.repeat([False, True], [len(sets["train"]), len(sets["test"])]),
                "index": which,
            }
            there = {key: getattr(data, key) for key in ALIKE}
            arrays |= {key: values[which] for key, values in there.items() if values is not None}
            named = {key: getattr(data, key) for key in ("label_names", "channel_names")}
            arrays |= {key: values for key, values in named.items() if values is not None}
            file = exporting.file_name(k, name, drawn)
            with atomic(folder / file) as path:
                npz.save(path, **arrays)
            sizes = {split: len(samples) for split, samples in sets.items()}
            about.append({"client": name, "file": file} | sizes)
        exporting.write_json(folder / "partition.json", {"data": data.name, "clients": about})
        return [f"{len(about)} files of clients, listed in partition.json"]


EXPORT = Npz
