"""Sines of three frequencies with noise, of four owners."""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.sources.contract import Source
from fedreact.options import Count
from fedreact.rng import generator


@dataclass(frozen=True)
class ToyWaves(Source):
    """Sines.

    Attributes
    ----------
    n_per_label
        Series of each frequency.
    """

    n_per_label: Count = 100

    def read(self, raw, entry):
        """Compute."""
        n = 3 * self.n_per_label
        y = np.arange(n) % 3
        t = np.arange(24) / 24
        X = np.sin(2 * np.pi * (1 + y)[:, None] * t)[:, None]
        X = X + 0.3 * generator(0, "toy waves").normal(size=X.shape)
        owner = np.arange(n) // 3 % 4
        return SeriesDataset("toy-waves", X.astype(np.float32), np.full(n, 24), y, owner)


SOURCE = ToyWaves
