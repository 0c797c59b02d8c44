"""The contract of a source: a file of this folder that defines ``SOURCE``.

A source is a frozen dataclass, whose fields are its options (:mod:`fedreact.options`), with what
:class:`Source` has. It is found by its file's name, which is that of its entry in a registry
(``config/datasets.yaml``).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry


@dataclass(frozen=True)
class Source:
    """A source, with defaults for the parts that most sources need not define.

    Attributes
    ----------
    parts
        Pieces of the dataset that are made one by one, each by a process of its own.
    """

    parts: ClassVar[tuple[str, ...]] = ()

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the files that are needed: all that are registered."""
        return entry

    def missing(self) -> str | None:
        """Say what this machine lacks to make the dataset, and what to do; ``None`` if nothing."""
        return None

    def make(self, part: str, progress: Callable[[int, int], None]) -> dict[str, np.ndarray]:
        """Make a part; call ``progress`` with how much is done, and of how much."""
        raise NotImplementedError

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Make the dataset from its raw files, by their names in the registry, or from its parts.

        Raw files have the bytes that are registered, if any are (:mod:`fedreact.data.prepare`).

        Raises
        ------
        UserError
            A file is damaged.
        """
        raise NotImplementedError
