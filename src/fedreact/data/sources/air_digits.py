"""3-D air digits: digits that ten people wrote in the air, above a Leap Motion sensor.

G. Bastas, K. Kritsis, V. Katsouros (2020), "Air-Writing Recognition using Deep Convolutional and
Recurrent Neural Network Architectures", ICFHR, 7-12, https://doi.org/10.1109/ICFHR2020.2020.00013.
The files are in https://github.com/kosmasK/air-writing-recognition, which states no licence. A file
is a digit: ``data`` holds ``[frame, [x, y, z]]`` for each step, in millimetres, as the sensor has
them: x to the right, y up, z towards the person. Frames follow each other without a gap; eight
files do not number them.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from fedreact.data.dataset import SeriesDataset, pad
from fedreact.data.normalise import scale_to_unit_box
from fedreact.data.registry import DatasetEntry
from fedreact.data.resample import shorten
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError

NAME = "air-digits"
STEPS = 100
Person = Literal["A", "B", "C", "D", "E", "F", "G", "H", "I", "J"]
PEOPLE: tuple[Person, ...] = get_args(Person)
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
FILE = re.compile(rf"Recordings/([A-J])/\1_({'|'.join(WORDS)})_(\d{{1,3}})_trail\.json")
FARTHEST = 1e4
"""Coordinates are smaller, in mm: the sensor sees less than a metre."""


class Name(NamedTuple):
    """Person, 0 to 9, digit, and number of a digit, as the name of its file says."""

    person: int
    digit: int
    number: int


@dataclass(frozen=True)
class AirDigits(Source):
    """Digits in 3-D; an owner is a person: 0 is A, 9 is J.

    Attributes
    ----------
    people
        Letters of people; ``null``: all.
    """

    people: tuple[Person, ...] | None = None

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the people, by person, digit and number."""
        names = {path: parse(path) for path in (entry.listed.sha256 if entry.listed else ())}
        people = {PEOPLE.index(letter) for letter in self.people or PEOPLE}
        return entry.only(
            p for p in sorted(names, key=names.__getitem__) if names[p].person in people
        )

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the files."""
        return digits({parse(name): read_trace(path) for name, path in raw.items()})


def parse(path: str) -> Name:
    """Return what the path of a digit below the dataset's folder says.

    Raises
    ------
    UserError
        It is not such a path.
    """
    match = FILE.fullmatch(path)
    if match is None:
        raise UserError(
            f"{NAME}: {path} is not Recordings/<person>/<person>_<digit>_<number>_trail.json"
        )
    return Name(PEOPLE.index(match[1]), WORDS.index(match[2]), int(match[3]))


def read_trace(path: Path) -> np.ndarray:
    """Read the positions ``float64 [3, length]`` of a digit, in millimetres.

    Raises
    ------
    UserError
        The file is damaged, or another kind of file.
    """
    try:
        steps = json.loads(path.read_bytes())["data"]
        trace = np.array([position for _, position in steps], dtype=np.float64)
        if trace.ndim != 2 or trace.shape[1] != 3 or not (np.abs(trace) < FARTHEST).all():
            raise ValueError("wanted x, y and z of each step, in mm")
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(
            f"{path}: not a digit written in the air ({reason}); get it again"
        ) from error
    return trace.T


def digits(traces: Mapping[Name, np.ndarray]) -> SeriesDataset:
    """Make the dataset of digits ``[3, length]``, by their names.

    A digit of more than 100 steps is resampled to 100. Each lies in the unit box
    (:func:`~fedreact.data.normalise.scale_to_unit_box`).
    """
    X, lengths = pad([shorten(trace, STEPS) for trace in traces.values()], STEPS)
    return SeriesDataset(
        name=NAME,
        X=scale_to_unit_box(X, lengths, [0, 1, 2]),
        lengths=lengths,
        y=np.array([name.digit for name in traces], dtype=np.int64),
        owner=np.array([name.person for name in traces], dtype=np.int64),
    )


SOURCE = AirDigits
