"""Persistence: repeats the last value, the baseline of any forecast."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.kinds.facts.contract import Algorithm


@dataclass(frozen=True)
class Persistence(Algorithm):
    """The target of each series is what it was one step before (``previous`` of the dataset)."""

    def outputs(self, data: SeriesDataset) -> np.ndarray | None:
        """Return the targets one step before; 1 for labels that were true and -1 for others."""
        before = data.previous
        if before is None:
            return None
        if before.dtype == np.int64:
            labels = np.arange(max(data.task.outputs, int(before.max()) + 1))
            before = before[:, None] == labels
        if before.dtype == bool:
            return np.where(before, 1.0, -1.0)
        return before.reshape(len(before), -1).astype(float)

    def lacks(self, data: SeriesDataset) -> str | None:
        """Say so if the dataset has no targets one step before."""
        if data.previous is None:
            return "The data does not say what was to be predicted one step before (previous)."
        return None


ALGORITHM = Persistence
