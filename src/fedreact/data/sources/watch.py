"""Shoulder exercises with a watch (Burns et al. 2018): 10 people, each with either arm.

D. M. Burns, N. Leung, M. Hardisty, C. M. Whyne, P. Henry, S. McLachlin (2018), "Shoulder
Physiotherapy Exercise Recognition: Machine Learning the Inertial Signals from a Smartwatch",
Physiological Measurement 39(7):075007. Acceleration and rotation in three axes each, 50 Hz, of
seven exercises that each arm did once. The data comes with the Python package seglearn (BSD
3-clause), which ``make setup`` installs, so it needs no download; nothing of the package is run.
"""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from fedreact.data import unpickle
from fedreact.data.dataset import SeriesDataset
from fedreact.data.files import check_file, file_of_package
from fedreact.data.normalise import standardise_owners
from fedreact.data.registry import DataFile, DatasetEntry
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
MISSING = "the package seglearn is missing; run make setup, or pip install seglearn==1.2.5"


class Exercise(NamedTuple):
    """A recording ``float64 [steps, 6]``, its exercise, 0 to 6, and its arm, 0 to 19."""

    values: np.ndarray
    label: int
    arm: int


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

    def missing(self) -> str | None:
        """Say that the package with the data is missing, if it is."""
        return MISSING if file() is None else None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the file of the package."""
        path = file()
        if path is None:
            raise UserError(MISSING)
        check_file(FILE, path)
        return windows(read_exercises(path), self.step, self.sensors)


def file() -> Path | None:
    """Find the data of the installed package; ``None`` if it is not there."""
    return file_of_package("seglearn", f"data/{FILE.names[0]}")


def read_exercises(path: Path) -> list[Exercise]:
    """Read the recordings.

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
    content = unpickle.load(stream.read(), str(path))
    try:
        if not isinstance(content, dict):
            raise TypeError("no mapping")
        people = np.unique(content["subject"], return_inverse=True)[1]
        arms = 2 * people + (content["side"] > 0)
        exercises = [
            Exercise(np.asarray(values, float), int(label), int(arm))
            for values, label, arm in zip(content["X"], content["y"], arms)
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{path}: holds other data ({error!r}); install it again") from error
    return exercises


def windows(exercises: list[Exercise], step: int = STEPS, sensors: str = "both") -> SeriesDataset:
    """Cut recordings into windows, in the order of arms and recordings.

    The time of a window is that since the start of its recording, since an arm's recordings have no
    order: those that end last, of each exercise that lasts so long, come last.
    """
    X, y, owner, time = [], [], [], []
    for exercise in sorted(exercises, key=lambda exercise: exercise.arm):
        for start in range(0, len(exercise.values) - STEPS + 1, step):
            X.append(exercise.values[start : start + STEPS, SENSORS[sensors]].T)
            y.append(exercise.label)
            owner.append(exercise.arm)
            time.append((start + STEPS) / RATE)
    owners = np.array(owner)
    return SeriesDataset(
        name=NAME,
        X=standardise_owners(np.stack(X), owners),
        lengths=np.full(len(X), STEPS),
        y=np.array(y),
        owner=owners,
        time=np.array(time),
    )


SOURCE = Watch
