"""Data for clients of Flower (flower.ai): a file for each, and a description of the partitions."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact import npz
from fedreact.atomic import atomic
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.io import exporting


@dataclass(frozen=True)
class Flower(exporting.DataExport):
    """x_train, y_train, x_test and y_test of each partition, and partitions.json.

    A client finds its file by the partition-id of its context.
    """

    TITLE: ClassVar[str] = "Flower: an npz file for each partition, partitions.json"

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write the files."""
        drawn = exporting.clients(drawn, data)
        partitions = []
        for k, name, sets in exporting.held(drawn):
            arrays: dict[str, np.ndarray] = {}
            for split, which in sets.items():
                arrays |= {f"x_{split}": exporting.series(data, which), f"y_{split}": data.y[which]}
            file = exporting.file_name(k, name, drawn)
            with atomic(folder / file) as path:
                npz.save(path, **arrays)
            partitions.append(
                {
                    "partition_id": k,
                    "name": name,
                    "file": file,
                    "num_examples": {split: len(which) for split, which in sets.items()},
                    "label_counts": exporting.counts(data, sets["train"]),
                }
            )
        about = {
            "dataset": data.name,
            "partitioner": "NaturalIdPartitioner",
            "partition_by": "client",
            "num_partitions": len(partitions),
            "task": data.task.kind,
            "partitions": partitions,
        }
        exporting.write_json(folder / "partitions.json", about)
        return [f"{len(partitions)} partitions, listed in partitions.json"]


EXPORT = Flower
