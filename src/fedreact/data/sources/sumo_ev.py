"""sumo-ev: traces of electric vehicles in the traffic simulator Eclipse SUMO, cut into windows.

What is simulated, and how, is in :mod:`fedreact.data.sumo`.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import ClassVar, Literal

from fedreact import npz
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

    def missing(self):
        """The simulator."""
        if find_spec("libsumo") is None:
            return "SUMO is not installed; run: pip install -r requirements-sumo.txt"
        return None

    def make(self, part, progress):
        """Simulate one town; one process can hold one simulation."""
        from fedreact.data.sumo.simulate import simulate

        return simulate(REGIONS[part], self.share, self.seed, progress)

    def read(self, raw, entry):
        """Cut the traces of all towns."""
        from fedreact.data.sumo.windows import NEEDED, cut_windows

        traces = [npz.load(path, "simulated region", NEEDED) for path in raw.values()]
        return cut_windows(traces, self.thermometer, self.seed)


SOURCE = SumoEV
