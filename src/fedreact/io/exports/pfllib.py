"""Data for PFLlib (github.com/TsingZ0/PFLlib).

PFLlib reads, in ``dataset/<name>/``, ``train/<k>.npz`` and ``test/<k>.npz`` of each client, whose
one array ``data`` is a dictionary with ``x`` and ``y``, and ``config.json``. A dictionary in an
array is a pickle.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.atomic import atomic
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.io import exporting


@dataclass(frozen=True)
class PflLib(exporting.DataExport):
    """train/<k>.npz, test/<k>.npz and config.json of PFLlib; names.json."""

    TITLE: ClassVar[str] = "PFLlib: train/<k>.npz, test/<k>.npz, config.json"

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write the files of ``dataset/<name>/``."""
        drawn = exporting.clients(drawn, data)
        exporting.labels_only(data, "PFLlib")
        statistic = []
        for k, _, sets in exporting.held(drawn):
            for split, which in sets.items():
                content = {"x": exporting.series(data, which), "y": data.y[which]}
                with atomic(folder / split / f"{k}.npz") as path, path.open("wb") as file:
                    np.savez_compressed(file, data=np.array(content, dtype=object))
            labels, sizes = np.unique(
                data.y[np.concatenate(list(sets.values()))], return_counts=True
            )
            statistic.append(list(zip(labels.tolist(), sizes.tolist())))
        config = {
            "num_clients": len(drawn.train),
            "num_classes": data.task.outputs,
            "non_iid": True,
            "balance": False,
            "partition": "client",
            "Size of samples for labels in clients": statistic,
            "alpha": None,
            "batch_size": 10,
        }
        exporting.write_json(folder / "config.json", config)
        exporting.write_names(data, drawn, folder)
        return [f"copy the folder to dataset/{data.name}/ of PFLlib"]


EXPORT = PflLib
