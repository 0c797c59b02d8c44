"""Windows of people in the files of AdaTime (Ragab et al. 2023): for each a train and a test file.

``train_<i>.pt`` and ``test_<i>.pt`` are in the format of ``torch.save`` before version 1.6: pickles
one after the other, of which the fourth is a mapping of ``samples`` and ``labels``. They are read
without running them (:mod:`fedreact.data.unpickle`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.data import unpickle
from fedreact.data.dataset import SeriesDataset
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Natural

MAGIC = 0x1950A86A20F9469CFC6C  # of torch's legacy format


def read_content(path: Path) -> dict[str, object]:
    """Return the content of such a file, by name.

    Raises
    ------
    UserError
        The file is damaged, or another kind of file.
    """
    pickles = unpickle.load_each(path.read_bytes(), str(path))
    content = pickles[3] if len(pickles) == 5 and pickles[0] == MAGIC else None
    if not isinstance(content, dict):
        raise UserError(f"{path}: not a file of arrays that torch.save wrote; download it again")
    return content


@dataclass(frozen=True)
class Prepared(Source):
    """Windows of some people.

    A source states its ``name``, the numbers of all people, the ``shape`` of a window (channels,
    steps), its number of labels, and which of a person's files there are.

    Attributes
    ----------
    people
        Numbers of people; ``null``: all.
    """

    people: tuple[Natural, ...] | None = None
    name: ClassVar[str]
    everyone: ClassVar[range]
    shape: ClassVar[tuple[int, int]]
    n_labels: ClassVar[int]
    splits: ClassVar[tuple[str, ...]] = ("train", "test")

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the people."""
        return entry.only(f"{part}_{i}.pt" for i in self._people for part in self.splits)

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the files.

        Channels are standardised by the mean and spread of a person's train part (of the test part,
        where that is all there is); ``tested`` is the files' own split.
        """
        X, y, owner, tested = [], [], [], []
        for person in self._people:
            for part in self.splits:
                samples, labels = self._windows(raw[f"{part}_{person}.pt"])
                X.append(samples)
                y.append(labels)
                owner.append(np.full(len(labels), person))
                tested.append(np.full(len(labels), part == "test"))
        owners, tests = np.concatenate(owner), np.concatenate(tested)
        return SeriesDataset(
            name=self.name,
            X=standardise_owners(np.concatenate(X), owners, tests),
            lengths=np.full(len(owners), self.shape[1]),
            y=np.concatenate(y),
            owner=owners,
            tested=tests if len(self.splits) == 2 else None,
        )

    def _windows(self, path: Path) -> tuple[np.ndarray, np.ndarray]:
        """Read windows and labels of a file, which may have channels and steps in either order."""
        content = read_content(path)
        samples, labels = (_numbers(content, key, path) for key in ("samples", "labels"))
        if samples.ndim == 3 and samples.shape[1:] == self.shape[::-1]:
            samples = samples.transpose(0, 2, 1)
        if samples.shape != (len(labels), *self.shape):
            raise UserError(f"{path}: windows are {samples.shape}, not of shape {self.shape}")
        if labels.min() < 0 or labels.max() >= self.n_labels or (labels % 1).any():
            raise UserError(f"{path}: labels must be 0 to {self.n_labels - 1}")
        return samples, labels.astype(np.int64)

    @property
    def _people(self) -> Sequence[int]:
        return self.everyone if self.people is None else self.people


def _numbers(content: dict[str, object], key: str, path: Path) -> np.ndarray:
    values = content.get(key)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu" or not values.size:
        raise UserError(f"{path}: {key} are not numbers; download it again")
    return values
