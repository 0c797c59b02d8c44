"""Shoulder exercises with a watch (Burns et al. 2018): 10 people, each with either arm.

D. M. Burns, N. Leung, M. Hardisty, C. M. Whyne, P. Henry, S. McLachlin (2018), "Shoulder
Physiotherapy Exercise Recognition: Machine Learning the Inertial Signals from a Smartwatch",
Physiological Measurement 39(7):075007. Acceleration and rotation in three axes each, 50 Hz, of
seven exercises that each arm did once. The data comes with the Python package seglearn (BSD
3-clause), which ``make setup`` installs, so it needs no download; nothing of the package is run.
"""

import importlib.util
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from fedreact.data import unpickle
from fedreact.data.dataset import SeriesDataset
from fedreact.data.files import check_file
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DataFile
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "watch"
STEPS, RATE = 128, 50.0
SENSORS = {"both": slice(0, 6), "acceleration": slice(0, 3), "rotation": slice(3, 6)}
FILE = DataFile(
    ("watch_dataset.npy",),
    None,
    "eb122f23cdf06ef6bd6c6c5312958ec5cf9d038e2e6d457b8081662c75a42537",
)


@dataclass(frozen=True)
class Watch(Source):
    """Windows of all recordings; an owner is an arm.

    Attributes
    ----------
    step
        Steps from the start of a window to the next; with 128, windows do not overlap.
    sensors
        Sensors: acceleration, rotation, or both.
    """

    step: Count = STEPS
    sensors: Literal["both", "acceleration", "rotation"] = "both"

    def missing(self):
        """The package that has the data."""
        if file() is None:
            return "the package seglearn is missing; run make setup, or pip install seglearn==1.2.5"
        return None

    def read(self, raw, entry):
        """Read the file of the package."""
        path = file()
        if path is None:
            raise UserError(self.missing())
        check_file(FILE, path)
        return windows(recordings(path), self.step, self.sensors)


def file() -> Path | None:
    """Where the installed package has its data."""
    found = importlib.util.find_spec("seglearn")
    path = Path(found.origin).parent / "data" / FILE.names[0] if found else None
    return path if path is not None and path.is_file() else None


def recordings(path: Path) -> list[tuple[np.ndarray, int, int]]:
    """Recordings ``[steps, 6]``, each with its exercise, 0 to 6, and its arm, 0 to 19.

    Raises
    ------
    UserError
        The file is damaged.
    """
    stream = io.BytesIO(path.read_bytes())
    try:
        np.lib.format.read_magic(stream)
        np.lib.format.read_array_header_1_0(stream)
    except ValueError as error:
        raise UserError(f"{path}: not an array of numpy ({error}); install it again") from error
    given = unpickle.load(stream.read(), str(path))
    try:
        people = np.unique(given["subject"], return_inverse=True)[1]
        arms = 2 * people + (given["side"] > 0)
        found = [
            (np.asarray(x, float), int(y), int(a)) for x, y, a in zip(given["X"], given["y"], arms)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: holds other data ({error!r}); install it again") from error
    return found


def windows(
    given: list[tuple[np.ndarray, int, int]], step: int = STEPS, sensors: str = "both"
) -> SeriesDataset:
    """Cut recordings into windows, in the order of arms and recordings.

    The time of a window is that since the start of its recording, since an arm's recordings have no
    order: those that end last, of each exercise that lasts so long, come last.
    """
    X, y, owner, time = [], [], [], []
    for values, label, arm in sorted(given, key=lambda one: one[2]):
        for start in range(0, len(values) - STEPS + 1, step):
            X.append(values[start : start + STEPS, SENSORS[sensors]].T)
            y.append(label)
            owner.append(arm)
            time.append((start + STEPS) / RATE)
    owner = np.array(owner)
    X = standardise_owners(np.stack(X), owner)
    lengths = np.full(len(X), STEPS)
    return SeriesDataset(NAME, X, lengths, np.array(y), owner, time=np.array(time))


SOURCE = Watch
