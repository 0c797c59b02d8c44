"""KDD Cup 2018 of Fresh Air: six pollutants in Beijing, hour by hour, January 2017 to January 2018.

https://biendata.com/competition/kdd_2018/. The files are those of the competition, placed by hand;
no copy could be had, so the reader was written from their columns as public code names them.
Stations that measure pollutants and those that measure the weather are two kinds; nine places have
one of each, and are the regions here. CO is in milligrams per cubic metre, the other pollutants in
micrograms.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, get_args

import msgspec
import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.data.streams import (
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

NAME = "kdd-air"
Region = Literal[
    "daxing",
    "fangshan",
    "huairou",
    "mentougou",
    "miyun",
    "pingchang",
    "pinggu",
    "shunyi",
    "tongzhou",
]
REGIONS: tuple[Region, ...] = get_args(Region)
POLLUTANTS = ("PM2.5", "PM10", "SO2", "NO2", "CO", "O3")
WEATHER = ("temperature", "pressure", "humidity", "wind_speed", "wind_direction")
SKIES = (
    "sunny/clear",
    "fog",
    "rain",
    "snow",
    "sleet",
    "rain/snow with hail",
    "rain with hail",
    "haze",
    "dust",
    "sand",
)
NONE = 999_000
"""Numbers from here on say that nothing was measured, or that the wind has no direction."""
HOUR = 3600


@dataclass(frozen=True)
class KDDAir(Source):
    """Windows of past hours, each with the pollutants of the next; an owner is a region.

    Owners are numbered from 0 on in the alphabetical order of all nine regions. A value that is not
    known is the last one that was, and zero after scaling where there was none yet.

    Attributes
    ----------
    regions
        Regions.
    hours
        Hours per region, the first ones that both files have.
    length
        Hours of a window.
    targets
        Missing pollutants: repeat the last value (``filled``), or leave out windows that would have
        to predict one (``measured``).
    wind
        Wind direction: a share of a turn, clockwise from north, in one channel, or a point on a
        circle (``circle``), in two channels without a jump at north.
    train_share
        Share of a region's hours, the first ones, that defines the range by which channels are
        scaled to [0, 1].
    """

    regions: Annotated[tuple[Region, ...], msgspec.Meta(min_length=1)] = REGIONS
    hours: Count = 8218
    length: Count = 20
    targets: Literal["filled", "measured"] = "filled"
    wind: Literal["number", "circle"] = "number"
    train_share: Share = 0.6

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the two files."""
        air = read_columns(raw["aq"], ["stationId", "utc_time", *POLLUTANTS])
        sky = read_columns(raw["meo"], ["station_id", "utc_time", *WEATHER, "weather"])
        streams = {}
        for name in sorted(set(self.regions)):
            pollutants = _hours_of(air, "stationId", f"{name}_aq", raw["aq"])
            weather = _hours_of(sky, "station_id", f"{name}_meo", raw["meo"])
            streams[REGIONS.index(name)] = self._stream(pollutants, weather, name)
        return assemble(NAME, streams, self.length)

    def _stream(self, air: "_Hours", sky: "_Hours", name: Region) -> Stream:
        first = max(air.time[0], sky.time[0])
        last = min(air.time[-1], sky.time[-1], first + HOUR * (self.hours - 1))
        if last < first:
            raise UserError(f"{NAME}: no hour of {name} is in both files; download them again")
        time = np.arange(first, last + HOUR, HOUR)
        measured = air.on_grid(time)
        pollutants, weather = filled(measured), filled(sky.on_grid(time))
        *columns, turns, kind = np.split(weather, weather.shape[1], axis=1)
        inputs = np.concatenate(
            [
                scaled(np.concatenate([pollutants, *columns], axis=1), self.train_share),
                direction(turns / 360, self.wind == "circle"),
                np.nan_to_num(kind).astype(np.float32),
            ],
            axis=1,
        )
        known = pollutants if self.targets == "filled" else measured
        return Stream(
            inputs=inputs,
            targets=pollutants.astype(np.float32),
            time=time,
            wanted=~np.isnan(known).any(axis=1),
        )


class _Hours(NamedTuple):
    """Hours of a station in seconds, in order and each once, and the values measured in them."""

    time: np.ndarray
    values: np.ndarray

    def on_grid(self, time: np.ndarray) -> np.ndarray:
        """Return the values of each hour of ``time``, NaN where there is no row."""
        values = np.full((len(time), self.values.shape[1]), np.nan)
        place = np.round((self.time - time[0]) / HOUR).astype(int)
        inside = (place >= 0) & (place < len(time))
        values[place[inside]] = self.values[inside]
        return values


def _hours_of(cells: Cells, key: str, station: str, path: Path) -> _Hours:
    """Return the hours of a station, whose name is in the column ``key``."""
    rows = [row for row, name in enumerate(cells[key]) if name == station]
    if not rows:
        raise UserError(f"{path}: has no station {station}; download it again")
    own = {name: [column[row] for row in rows] for name, column in cells.items()}
    try:
        time = [datetime.fromisoformat(t).replace(tzinfo=UTC).timestamp() for t in own["utc_time"]]
    except ValueError as error:
        raise UserError(f"{path}: a row has no utc_time ({error}); download it again") from error
    values = to_numbers(own, POLLUTANTS if "PM2.5" in cells else WEATHER, path)
    values[values >= NONE] = np.nan
    if "weather" in cells:
        skies = [[_number_of_sky(kind)] for kind in own["weather"]]
        values = np.concatenate([values, skies], axis=1)
    hours, first = np.unique(time, return_index=True)
    return _Hours(hours, values[first])


def _number_of_sky(kind: str) -> float:
    """Number the weather by the list, so that it is the same everywhere; 1 is another weather."""
    kind = kind.strip().lower()
    if not kind:
        return np.nan
    return SKIES.index(kind) / len(SKIES) if kind in SKIES else 1.0


SOURCE = KDDAir
