"""The contract of an export: a file of ``io/exports/`` that defines ``EXPORT``.

An export is a frozen dataclass below :class:`DataExport` or :class:`ScoresExport`, whose fields are
its options (:mod:`fedreact.options`). An export of a user's own is a file below
``own/io/exports/``.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from fedreact import plugins
from fedreact.atomic import write_text
from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.errors import UserError

FOLDER, DEFINES = "io/exports", "EXPORT"
SPLITS = ("train", "test")


@dataclass(frozen=True)
class DataExport:
    """Base of exports of a dataset and its clients."""

    TITLE: ClassVar[str] = ""
    """What is written, for help."""

    def write(self, data: SeriesDataset, drawn: Partition | None, folder: Path) -> list[str]:
        """Write files below a folder, and return notes for people.

        Parameters
        ----------
        drawn
            Who holds which series; ``None`` if the data names no clients.

        Raises
        ------
        UserError
            The format cannot hold such data.
        """
        raise NotImplementedError


@dataclass(frozen=True)
class ScoresExport:
    """Base of exports of a file of scores."""

    TITLE: ClassVar[str] = ""

    def write(self, scores: Path, to: str) -> list[str]:
        """Write the scores of a csv file to a tracker, and return notes for people.

        Raises
        ------
        UserError
            It is no file of scores, or a package is missing.
        """
        raise NotImplementedError


def formats() -> list[str]:
    """Name the formats, a user's own after the project's."""
    return plugins.names(FOLDER, DEFINES)


def load(name: str) -> type[Any]:
    """Load an export by the name of its format."""
    made: type[Any] = plugins.load(FOLDER, name, DEFINES)
    return made


def clients(drawn: Partition | None, data: SeriesDataset) -> Partition:
    """Return who holds which series.

    Raises
    ------
    UserError
        The data names no clients.
    """
    if drawn is None:
        raise UserError(
            f"{data.name} names no clients: name them (fedreact import --client), or give a "
            "--partition"
        )
    return drawn


def labels_only(data: SeriesDataset, what: str) -> None:
    """Raise a ``UserError`` unless each series has one label, which is all that others read."""
    if data.task.kind != "classification":
        raise UserError(f"{what} reads one label for each series; {data.name} is {data.task.kind}")


def series(data: SeriesDataset, which: np.ndarray) -> np.ndarray:
    """Return series ``float32 [n, channels, steps]``."""
    if isinstance(data.X, Windows):
        return np.ascontiguousarray(np.asarray(data.X[which]).transpose(0, 2, 1))
    return data.X[which]


def held(drawn: Partition) -> Iterator[tuple[int, str, dict[str, np.ndarray]]]:
    """Yield each client: its number, its name, and its series by ``train`` and ``test``."""
    for k, sets in enumerate(zip(drawn.train, drawn.test)):
        name = str(k) if drawn.names is None else str(drawn.names[k])
        yield k, name, dict(zip(SPLITS, sets))


def file_name(k: int, name: str, drawn: Partition) -> str:
    """Return the name of a client's file, with the number first, so that no two are alike."""
    number = str(k).zfill(len(str(len(drawn.train) - 1)))
    slug = re.sub(r"[^A-Za-z0-9.-]+", "_", name)
    return f"client{number}.npz" if drawn.names is None else f"{number}-{slug}.npz"


def counts(data: SeriesDataset, which: np.ndarray) -> dict[str, int] | None:
    """Count the series of each label by its name; ``None`` where there are no labels."""
    if data.y.dtype != np.int64:
        return None
    numbers, sizes = np.unique(data.y[which], return_counts=True)
    return {data.label_name(int(label)): int(size) for label, size in zip(numbers, sizes)}


def write_names(data: SeriesDataset, drawn: Partition, folder: Path) -> None:
    """Write ``names.json``: of clients, labels and channels, which others know by numbers."""
    task = data.task
    content = {
        "clients": [name for _, name, _ in held(drawn)],
        "labels": [data.label_name(label) for label in range(task.outputs)],
        "channels": [data.channel_name(channel) for channel in range(task.channels)],
    }
    write_json(folder / "names.json", content)


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
