"""The mean of earlier days at the same time of day, the baseline of what has a daily course."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.kinds.facts.contract import Algorithm
from fedreact.options import Positive


@dataclass(frozen=True)
class SameTime(Algorithm):
    """The mean target of a client's earlier series that end at the same time of day.

    Where there is no earlier one, it is the target one step before (``previous`` of the dataset).
    All earlier targets count, also those of test series, as persistence uses the last value.

    Attributes
    ----------
    period
        Seconds after which times are the same again.
    """

    period: Positive = 86400.0

    def outputs(self, data: SeriesDataset) -> np.ndarray | None:
        """Return the means ``[N, c]``."""
        if self.lacks(data) or data.time is None or data.previous is None:
            return None
        import pandas as pd

        y = data.y.reshape(len(data.y), -1).astype(float)
        before = data.previous.reshape(y.shape).astype(float)
        order = np.lexsort((data.time, self._group(data)))
        places = pd.Series(self._group(data)[order])
        sums = pd.DataFrame(y[order]).groupby(places).cumsum().to_numpy() - y[order]
        count = places.groupby(places).cumcount().to_numpy()[:, None]
        means = np.where(count > 0, sums / np.maximum(count, 1), before[order])
        outputs = np.empty_like(y)
        outputs[order] = means
        return outputs

    def lacks(self, data: SeriesDataset) -> str | None:
        """Say so if times or targets are missing, or no time of day comes twice."""
        if data.task.kind != "regression" or data.previous is None:
            return "The data has no numbers to forecast (previous)."
        if data.time is None:
            return "The data has no times."
        if self._step(data) > self.period:
            return "Values are more than a day apart."
        if len(np.unique(self._group(data))) > len(data.y) / 2:
            return "Times of day hardly come twice."
        return None

    def _group(self, data: SeriesDataset) -> np.ndarray:
        """Return a number for each client and time of day, ``int64 [N]``.

        Times of day are the same if they are nearest to the same step of the usual length, since
        clocks drift.
        """
        assert data.time is not None
        step = self._step(data)
        times = np.round(data.time % self.period / step) % max(1, round(self.period / step))
        pairs = np.stack([_owner(data).astype(float), times], axis=1)
        return np.unique(pairs, axis=0, return_inverse=True)[1].ravel()

    def _step(self, data: SeriesDataset) -> float:
        """Return the usual seconds between two series of a client."""
        assert data.time is not None
        ordered = np.lexsort((data.time, _owner(data)))
        apart = np.diff(data.time[ordered])[np.diff(_owner(data)[ordered]) == 0]
        return float(np.median(apart[apart > 0])) if (apart > 0).any() else 1.0


def _owner(data: SeriesDataset) -> np.ndarray:
    """Return the client of each series, ``int [N]``; all are of one if none is known."""
    return np.zeros(len(data.y), int) if data.owner is None else data.owner


ALGORITHM = SameTime
