"""Data and partition for FL-bench (github.com/KarhouTam/FL-bench).

FL-bench reads, in ``data/<dataset>/``, the series (``data.npy``), their labels (``targets.npy``),
and ``partition.pkl``: which clients train and test (``separation``), and the series of each by
``train``, ``val`` and ``test`` (``data_indices``).
"""

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedreact.atomic import atomic
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.io import exporting


@dataclass(frozen=True)
class FlBench(exporting.DataExport):
    """Data, targets and partition of FL-bench, its args.json and all_stats.json, and names.json."""

    TITLE: ClassVar[str] = "FL-bench: partition.pkl, data.npy, targets.npy"

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write the files of ``data/<dataset>/``."""
        drawn = exporting.clients(drawn, data)
        exporting.labels_only(data, "FL-bench")
        K = len(drawn.train)
        numbers = list(range(K))
        partition = {
            "separation": {"train": numbers, "val": numbers, "test": numbers, "total": K},
            "data_indices": [
                {"train": sets["train"].tolist(), "val": [], "test": sets["test"].tolist()}
                for _, _, sets in exporting.held(drawn)
            ],
        }
        stats: dict[str, Any] = {}
        for k, _, sets in exporting.held(drawn):
            labels, sizes = np.unique(
                data.y[np.concatenate(list(sets.values()))], return_counts=True
            )
            by_label = dict(zip(map(str, labels.tolist()), sizes.tolist()))
            stats[str(k)] = {"x": int(sizes.sum()), "y": by_label}
        with atomic(folder / "partition.pkl") as path:
            path.write_bytes(pickle.dumps(partition))
        arrays = {"data": exporting.series(data, np.arange(len(data.X))), "targets": data.y}
        for name, values in arrays.items():
            with atomic(folder / f"{name}.npy") as path, path.open("wb") as file:
                np.save(file, values, allow_pickle=False)
        exporting.write_json(folder / "all_stats.json", stats)
        about = {"dataset": data.name, "client_num": K, "split": "sample"}
        exporting.write_json(folder / "args.json", about)
        exporting.write_names(data, drawn, folder)
        notes = [
            f"copy the folder to data/{data.name}/ of FL-bench, and name a dataset class for it"
        ]
        if exporting.series(data, np.arange(1)).size and float(arrays["data"].max()) > 1:
            notes.append("FL-bench divides all values by 255 if one is above 1: scale them first")
        return notes


EXPORT = FlBench
