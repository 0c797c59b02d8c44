"""sumo-ev: traces of electric vehicles in the traffic simulator Eclipse SUMO, cut into windows.

:mod:`fedreact.data.sumo` has the simulation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.data.sumo.regions import REGIONS
from fedreact.options import Natural, Share

SEED = 0


@dataclass(frozen=True)
class SumoEV(Source):
    """Windows of 100 s of the drives of 50 vehicles in five towns.

    Attributes
    ----------
    share
        Share of each vehicle's windows that is used.
    thermometer
        Temperature and humidity: with sensor noise (``noisy``) or exact (``none``).
    seed
        Seed of streets, vehicles, drives and sensors.
    """

    share: Share = 1.0
    thermometer: Literal["noisy", "none"] = "noisy"
    seed: Natural = SEED

    parts: ClassVar[tuple[str, ...]] = tuple(REGIONS)

    def missing(self) -> str | None:
        """Say that the simulator is missing, if it is."""
        if find_spec("libsumo") is None:
            return "SUMO is not installed; run: pip install -r requirements-sumo.txt"
        return None

    def make(self, part: str, progress: Callable[[int, int], None]) -> dict[str, np.ndarray]:
        """Simulate one town; one process can hold one simulation."""
        from fedreact.data.sumo.simulate import simulate

        return simulate(REGIONS[part], self.share, self.seed, progress)

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Cut the traces of all towns."""
        from fedreact.data.sumo.windows import NEEDED, cut_windows

        traces = [npz.load(path, "simulated region", list(NEEDED)) for path in raw.values()]
        return cut_windows(traces, self.thermometer, self.seed)


SOURCE = SumoEV
