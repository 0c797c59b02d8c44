"""Beijing Multi-Site Air Quality: pollutants at twelve stations, hour by hour (Chen 2017).

S. Chen (2017), "Beijing Multi-Site Air Quality", UCI Machine Learning Repository; S. Zhang, B. Guo,
A. Dong, J. He, Z. Xu, S. X. Chen (2017), "Cautionary tales on air-quality improvement in Beijing",
Proc. R. Soc. A 473:20170457. Six pollutants in micrograms per cubic metre and the weather of the
nearest station, 35,064 hours from 1 March 2013 on. It stands for the data of KDD Cup 2018
(``kdd-air``), which has CO in milligrams.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.data.streams import (
    UNKNOWN,
    Cells,
    Stream,
    assemble,
    direction,
    filled,
    read_columns,
    scaled,
    to_numbers,
)
from fedreact.errors import UserError
from fedreact.options import Count, Share

NAME = "beijing-air"
Station = Literal[
    "Aotizhongxin",
    "Changping",
    "Dingling",
    "Dongsi",
    "Guanyuan",
    "Gucheng",
    "Huairou",
    "Nongzhanguan",
    "Shunyi",
    "Tiantan",
    "Wanliu",
    "Wanshouxigong",
]
STATIONS: tuple[Station, ...] = get_args(Station)
POLLUTANTS = ("PM2.5", "PM10", "SO2", "NO2", "CO", "O3")
WEATHER = ("TEMP", "PRES", "DEWP", "RAIN", "WSPM")
CLOCK = ("year", "month", "day", "hour")
COMPASS = (
    "N",
    "NNE",
    "NE",
    "ENE",
    "E",
    "ESE",
    "SE",
    "SSE",
    "S",
    "SSW",
    "SW",
    "WSW",
    "W",
    "WNW",
    "NW",
    "NNW",
)
NINE = tuple(name for name in STATIONS if name not in ("Dingling", "Dongsi", "Wanliu"))


@dataclass(frozen=True)
class BeijingAir(Source):
    """Windows of past hours, each with the pollutants of the next; an owner is a station.

    Owners are numbered from 0 on in the alphabetical order of all twelve stations. A value that is
    not known is the last one that was, and zero after scaling where there was none yet.

    Attributes
    ----------
    stations
        Stations. The default has the nine with the fewest missing values in the first 8,218 hours,
        as many as the dissertation has regions (Changping, Huairou and Shunyi are in both).
    hours
        Hours per station, the first ones.
    length
        Hours of a window.
    targets
        Missing pollutants: repeat the last value (``filled``), or leave out windows that would have
        to predict one (``measured``).
    wind
        Wind direction: a number from 0 (north) by 1/16 clockwise, in one channel, or a point on a
        circle (``circle``), in two channels without a jump at north.
    train_share
        Share of a station's hours, the first ones, that defines the range by which channels are
        scaled to [0, 1].
    """

    stations: Annotated[tuple[Station, ...], msgspec.Meta(min_length=1)] = NINE
    hours: Count = 8218
    length: Count = 20
    targets: Literal["filled", "measured"] = "filled"
    wind: Literal["number", "circle"] = "number"
    train_share: Share = 0.6

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the stations."""
        return entry.only(f"PRSA_Data_{name}_20130301-20170228.csv" for name in self._stations)

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the files."""
        return self.windows(dict(zip(self._stations, raw.values())))

    def windows(self, paths: Mapping[Station, Path]) -> SeriesDataset:
        """Make the dataset of some stations' files, by the stations' names.

        Raises
        ------
        UserError
            A file is damaged, or not of that station.
        """
        streams = {STATIONS.index(name): self._stream(name, path) for name, path in paths.items()}
        return assemble(NAME, streams, self.length)

    def _stream(self, name: Station, path: Path) -> Stream:
        cells = read_columns(path, [*CLOCK, *POLLUTANTS, *WEATHER, "wd", "station"])
        cells = {key: column[: self.hours] for key, column in cells.items()}
        if set(cells.pop("station")) != {name}:
            raise UserError(f"{path}: is not of the station {name}; download it again")
        time = _seconds(cells, path)
        measured = to_numbers(cells, POLLUTANTS, path)
        pollutants = filled(measured)
        weather = filled(to_numbers(cells, WEATHER, path))
        wind = direction(filled(_turns(cells["wd"], path)), self.wind == "circle")
        inputs = scaled(np.concatenate([pollutants, weather], axis=1), self.train_share)
        known = pollutants if self.targets == "filled" else measured
        return Stream(
            inputs=np.concatenate([inputs, wind], axis=1),
            targets=pollutants.astype(np.float32),
            time=time,
            wanted=~np.isnan(known).any(axis=1),
        )

    @property
    def _stations(self) -> list[Station]:
        return sorted(set(self.stations))


def _seconds(cells: Cells, path: Path) -> np.ndarray:
    """Return the seconds since 1970 of each row; rows must be an hour apart."""
    clock = to_numbers(cells, CLOCK, path)
    try:
        time = np.array(
            [
                datetime(int(year), int(month), int(day), tzinfo=UTC).timestamp() + 3600 * int(hour)
                for year, month, day, hour in clock
            ]
        )
    except ValueError as error:
        raise UserError(f"{path}: a row has no date ({error}); download it again") from error
    if not (np.diff(time) == 3600).all():
        row = int(np.flatnonzero(np.diff(time) != 3600)[0]) + 2
        raise UserError(
            f"{path}: row {row} is not an hour after the one before it; download it again"
        )
    return time


def _turns(cells: list[str], path: Path) -> np.ndarray:
    """Return where the wind is from, ``[R, 1]``: 0 is north, 0.25 east; NaN: unknown."""
    turns = {point: i / len(COMPASS) for i, point in enumerate(COMPASS)}
    turns |= dict.fromkeys(UNKNOWN, np.nan)
    if strange := [cell for cell in cells if cell not in turns]:
        raise UserError(f"{path}: {strange[0][:20]!r} is not a wind direction; download it again")
    return np.array([[turns[cell]] for cell in cells])


SOURCE = BeijingAir
