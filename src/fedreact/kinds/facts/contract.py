"""The contract of baselines and counts without training: a file that defines ``ALGORITHM``."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset


@dataclass(frozen=True)
class Algorithm:
    """What most have in common; fields are options (:mod:`fedreact.options`)."""

    def outputs(self, data: SeriesDataset) -> np.ndarray | None:
        """What it says of each series ``[N, c]``, as a model would; ``None``: nothing.

        Scores of labels (several labels are true where theirs are above 0) or targets, see
        :class:`fedreact.metrics.contract.Metric`.
        """
        return None

    def lacks(self, data: SeriesDataset) -> str | None:
        """What of the data is not there, so that it says nothing; ``None``: all is."""
        return None
