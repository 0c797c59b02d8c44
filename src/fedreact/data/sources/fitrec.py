"""FitRec: speed and heart rate of people who do sports, second by second (Ni et al. 2019).

J. Ni, L. Muhlstein, J. McAuley (2019), "Modeling Heart Rate and Activity Data for Personalized
Fitness Recommendation", The Web Conference, 1343-1353. Workouts of 300 rows, about 10 s apart, in
the files that the authors of FATHOM made of them, one a person. These also have where the people
were: latitude and longitude are dropped when a file is read, and so are the numbers of people.
Speeds are derived from distances; a few are negative or faster than anybody moves, and are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.streams import (
    Stream,
    StreamsOfPeople,
    assemble,
    filled,
    first_rows,
    read_columns,
    scaled,
    to_numbers,
)
from fedreact.options import Count, Share

NAME = "fitrec"
MEASURED = ("altitude", "distance", "derived_speed", "heart_rate", "timestamp")
TIMES = ("time_elapsed", "since_begin", "since_last")
TARGETS = ("tar_derived_speed", "tar_heart_rate")
"""In km/h and beats a minute."""
GENDERS = {"male": 0.0, "female": 1.0}
SPORTS = (
    "bike",
    "bike (transport)",
    "core stability training",
    "cross-country skiing",
    "hiking",
    "indoor cycling",
    "kayaking",
    "mountain bike",
    "orienteering",
    "roller skiing",
    "rowing",
    "run",
    "skate",
    "soccer",
    "walk",
    "weight training",
)
"""A list of its own, and not what is in the files, so that a number means the same everywhere."""


@dataclass(frozen=True)
class FitRec(StreamsOfPeople):
    """Windows of past rows, each with the speed and heart rate of the next; an owner is a person.

    Targets are in km/h and beats a minute. Sport and gender are numbers from 0 to 1, the same for
    all people; a sport that is not in the list is 1, a gender that is not told 0.5.

    Attributes
    ----------
    rows
        Rows per person, the first ones.
    length
        Rows of a window.
    across
        Whether windows may span two workouts, days apart.
    times
        Whether the times since a workout's start, since the first and since the last workout are
        channels. They replace latitude, longitude and the person's number, which are not read.
    past_targets
        Whether speed and heart rate of a window's rows are channels.
    train_share
        Share of a person's rows, the first ones, that defines the range by which channels are
        scaled to [0, 1].
    """

    rows: Count = 30000
    length: Count = 10
    across: bool = False
    times: bool = True
    past_targets: bool = True
    train_share: Share = 0.6

    def windows(self, paths: Sequence[Path]) -> SeriesDataset:
        """Make the dataset of the people's files, in the order of their numbers.

        Raises
        ------
        UserError
            A file is damaged, or not of this dataset.
        """
        people = self.numbered(paths).items()
        return assemble(NAME, {number: self._stream(path) for number, path in people}, self.length)

    def _stream(self, path: Path) -> Stream:
        measured = MEASURED + (TIMES if self.times else ())
        # By name, so that no cell of latitude, longitude and userId is held.
        cells = read_columns(path, [*measured, *TARGETS, "gender", "sport", "id"])
        cells = first_rows(cells, "timestamp", self.rows, path)
        targets = filled(to_numbers(cells, TARGETS, path))
        stated = np.array(
            [
                [GENDERS.get(gender, 0.5), _number_of_sport(sport)]
                for gender, sport in zip(cells["gender"], cells["sport"])
            ]
        )
        values = filled(to_numbers(cells, measured, path))
        if self.past_targets:
            values = np.concatenate([values, targets], axis=1)
        values = scaled(values, self.train_share)
        workout = None
        if not self.across:
            workout = np.unique(cells["id"], return_inverse=True)[1].astype(np.int64)
        return Stream(
            inputs=np.concatenate([values, stated.astype(np.float32)], axis=1),
            targets=targets.astype(np.float32),
            time=to_numbers(cells, ["timestamp"], path)[:, 0],
            wanted=~np.isnan(targets).any(axis=1),
            piece=workout,
        )


def _number_of_sport(name: str) -> float:
    return SPORTS.index(name) / len(SPORTS) if name in SPORTS else 1.0


SOURCE = FitRec
