"""The contract of baselines and counts without training: a file that defines ``ALGORITHM``."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedreact.data.dataset import SeriesDataset


@dataclass(frozen=True)
class Algorithm:
    """A baseline without training; fields are options (:mod:`fedreact.options`)."""

    role: ClassVar[str] = "trivial"

    def outputs(self, data: SeriesDataset) -> np.ndarray | None:
        """Return outputs ``[N, c]`` for all series, as a model would; ``None``: it is not scored.

        They are scores of labels (several labels are true if theirs are above 0) or targets, see
        :class:`fedreact.metrics.contract.Metric`.
        """
        return None

    def lacks(self, data: SeriesDataset) -> str | None:
        """Say which data is missing, so that it is not scored; ``None``: nothing is missing."""
        return None
