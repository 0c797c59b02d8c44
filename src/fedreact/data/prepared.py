"""Windows of people in the files of AdaTime (Ragab et al. 2023): for each a train and a test file.

``train_<i>.pt`` and ``test_<i>.pt`` are what ``torch.save`` wrote before version 1.6: pickles one
after the other, of which the fourth is a mapping of ``samples`` and ``labels``. They are read
without running them (:mod:`fedreact.data.unpickle`).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from fedreact.data import unpickle
from fedreact.data.dataset import SeriesDataset
from fedreact.data.normalise import standardise_owners
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Natural

MAGIC = 0x1950A86A20F9469CFC6C  # of torch's legacy format


def arrays(path: Path) -> dict[str, np.ndarray]:
    """Arrays of such a file, by name.

    Raises
    ------
    UserError
        It is damaged, or another kind of file.
    """
    found = unpickle.load_each(path.read_bytes(), str(path))
    if len(found) != 5 or found[0] != MAGIC or not isinstance(found[3], dict):
        raise UserError(f"{path}: not a file of arrays that torch.save wrote; download it again")
    return found[3]


@dataclass(frozen=True)
class Prepared(Source):
    """Windows of some people.

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
    halves: ClassVar[tuple[str, ...]] = ("train", "test")

    def wanted(self, entry):
        """Of the listed files those of the people."""
        return entry.only(f"{part}_{i}.pt" for i in self._people for part in self.halves)

    def read(self, raw, entry):
        """Read the files.

        Channels are standardised by the mean and spread of a person's train part (of the test part,
        where that is all there is); ``tested`` is the files' own split.
        """
        X, y, owner, tested = [], [], [], []
        for person in self._people:
            for part in self.halves:
                path = raw[f"{part}_{person}.pt"]
                samples, labels = self._windows(path)
                X.append(samples)
                y.append(labels)
                owner.append(np.full(len(labels), person))
                tested.append(np.full(len(labels), part == "test"))
        owner, tested = np.concatenate(owner), np.concatenate(tested)
        X = standardise_owners(np.concatenate(X), owner, tested)
        lengths = np.full(len(X), self.shape[1])
        split = tested if len(self.halves) == 2 else None
        return SeriesDataset(self.name, X, lengths, np.concatenate(y), owner, tested=split)

    def _windows(self, path):
        """Windows and labels of a file, which may have channels and steps in either order."""
        given = arrays(path)
        samples, labels = (_numbers(given, key, path) for key in ("samples", "labels"))
        if samples.ndim == 3 and samples.shape[1:] == self.shape[::-1]:
            samples = samples.transpose(0, 2, 1)
        if samples.shape != (len(labels), *self.shape):
            raise UserError(f"{path}: windows are {samples.shape}, not of shape {self.shape}")
        if labels.min() < 0 or labels.max() >= self.n_labels or (labels % 1).any():
            raise UserError(f"{path}: labels must be 0 to {self.n_labels - 1}")
        return samples, labels.astype(np.int64)

    @property
    def _people(self):
        return self.everyone if self.people is None else self.people


def _numbers(given, key, path):
    values = given.get(key)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu" or not values.size:
        raise UserError(f"{path}: {key} are not numbers; download it again")
    return values
