"""FitRec: speed and heart rate of people who do sports, second by second (Ni et al. 2019).

J. Ni, L. Muhlstein, J. McAuley (2019), "Modeling Heart Rate and Activity Data for Personalized
Fitness Recommendation", The Web Conference, 1343-1353. Workouts of 300 rows, about 10 s apart, in
the files that the authors of FATHOM made of them, one a person. These also have where the people
were: latitude and longitude are dropped when a file is read, and so are the numbers of people.
Speeds are derived from distances; a few are negative or faster than anybody moves, and are kept.
"""

from dataclasses import dataclass

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.sources.contract import Source
from fedreact.data.streams import (
    Stream,
    assemble,
    chosen,
    columns,
    filled,
    first_rows,
    numbered,
    numbers,
    scaled,
)
from fedreact.options import Count, Natural, Share

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
class FitRec(Source):
    """Windows of past rows, each with the speed and heart rate of the next; an owner is a person.

    Targets are in km/h and beats a minute. Sport and gender are numbers from 0 to 1, the same for
    all people; a sport that is not in the list is 1, a gender that is not told 0.5.

    Attributes
    ----------
    people
        Numbers of people from 0 on, in the order of the registered files' names; ``null``: all.
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

    people: tuple[Natural, ...] | None = None
    rows: Count = 30000
    length: Count = 10
    across: bool = False
    times: bool = True
    past_targets: bool = True
    train_share: Share = 0.6

    def wanted(self, entry):
        """Of the listed files those of the people."""
        return entry.only(chosen(entry, self.people))

    def read(self, raw, entry):
        """Read the files."""
        return self.windows(raw.values())

    def windows(self, paths) -> SeriesDataset:
        """The dataset of the people's files, in the order of their numbers.

        Raises
        ------
        UserError
            A file is damaged, or not of this dataset.
        """
        people = numbered(paths, self.people).items()
        return assemble(NAME, {who: self._stream(path) for who, path in people}, self.length)

    def _stream(self, path):
        measured = MEASURED + (TIMES if self.times else ())
        # By name, so that no cell of latitude, longitude and userId is held.
        cells = columns(path, [*measured, *TARGETS, "gender", "sport", "id"])
        cells = first_rows(cells, "timestamp", self.rows, path)
        targets = filled(numbers(cells, TARGETS, path))
        said = np.array(
            [
                [GENDERS.get(gender, 0.5), _of_sport(sport)]
                for gender, sport in zip(cells["gender"], cells["sport"])
            ]
        )
        found = filled(numbers(cells, measured, path))
        if self.past_targets:
            found = np.concatenate([found, targets], axis=1)
        inputs = np.concatenate([scaled(found, self.train_share), said.astype(np.float32)], axis=1)
        known = ~np.isnan(targets).any(axis=1)
        workout = None
        if not self.across:
            workout = np.unique(cells["id"], return_inverse=True)[1].astype(np.int64)
        time = numbers(cells, ["timestamp"], path)[:, 0]
        return Stream(inputs, targets.astype(np.float32), time, known, workout)


def _of_sport(name):
    return SPORTS.index(name) / len(SPORTS) if name in SPORTS else 1.0


SOURCE = FitRec
