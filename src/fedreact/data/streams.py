"""Streams: rows in the order of time, of a person or a place; past rows predict a later one."""

import csv
import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.options import Natural

Cells = dict[str, list[str]]
"""Cells of a table, by the name of their column."""
UNKNOWN = ("", "NA", "nan", "NaN")
"""Cells of values that were not recorded."""


@dataclass(frozen=True)
class Stream:
    """Rows in the order of time.

    Attributes
    ----------
    inputs
        ``float32 [R, channels]``.
    targets
        ``bool`` or ``float32 [R, M]``.
    time
        ``float64 [R]``, seconds.
    wanted
        ``bool [R]``: rows whose targets are to be predicted.
    piece
        ``int64 [R]``: no window reaches from a row of one piece to a row of another; ``None``: all
        rows are one piece.
    """

    inputs: np.ndarray
    targets: np.ndarray
    time: np.ndarray
    wanted: np.ndarray
    piece: np.ndarray | None = None


def assemble(name: str, streams: dict[int, Stream], length: int, horizon: int = 1) -> SeriesDataset:
    """Cut streams into windows, each with the targets of the row ``horizon`` after its last.

    Their ``previous`` are the targets of their last rows, zero where these are NaN.

    Parameters
    ----------
    name
        Name of the dataset.
    streams
        Streams by the number of their owner.
    length, horizon
        Rows of a window, and from its last row to its targets.

    Raises
    ------
    UserError
        A stream is too short for a window.
    """
    values, starts, targets, previous, owner, time = [], [], [], [], [], []
    rows = 0  # of the streams before
    for number, stream in streams.items():
        last = np.arange(length - 1, len(stream.time) - horizon)
        predicted, first = last + horizon, last - length + 1
        usable = stream.wanted[predicted]
        if stream.piece is not None:
            # Pieces may come back after others: equal ends alone would not do.
            border = np.r_[0, np.cumsum(np.diff(stream.piece) != 0)]
            usable &= border[first] == border[predicted]
        if not usable.any():
            raise UserError(
                f"{name}: the {len(stream.time)} rows of {number} hold no window of {length} rows "
                f"and a target {horizon} later"
            )
        values.append(stream.inputs)
        starts.append(rows + first[usable])
        targets.append(stream.targets[predicted[usable]])
        previous.append(np.nan_to_num(stream.targets[last[usable]]))
        time.append(stream.time[last[usable]])
        owner.append(np.full(usable.sum(), number))
        rows += len(stream.time)
    X = Windows(np.concatenate(values), np.concatenate(starts), length)
    return SeriesDataset(
        name=name,
        X=X,
        lengths=np.full(len(X), length),
        y=np.concatenate(targets),
        owner=np.concatenate(owner),
        time=np.concatenate(time),
        previous=np.concatenate(previous),
    )


def filled(values: np.ndarray) -> np.ndarray:
    """Replace each NaN of ``[R, channels]`` by the last known value, if there is one.

    Nothing is filled from later rows, which a client could not have at that time.
    """
    rows = np.arange(len(values))[:, None]
    last = np.maximum.accumulate(np.where(np.isnan(values), 0, rows), axis=0)
    return np.take_along_axis(values, last, axis=0)


def scaled(values: np.ndarray, share: float) -> np.ndarray:
    """Bring each channel to [0, 1] by its range in the first ``share`` of the rows.

    Later rows may lie outside. A channel that does not vary in those rows, or is not known there,
    has no scale and becomes zero, as do values that are NaN.

    Returns
    -------
    numpy.ndarray
        ``float32 [R, channels]``.
    """
    first = values[: max(1, int(share * len(values)))]
    low = np.where(np.isnan(first), np.inf, first).min(axis=0)
    high = np.where(np.isnan(first), -np.inf, first).max(axis=0)
    varies = high > low
    low, span = np.where(varies, low, 0), np.where(varies, high, 1) - np.where(varies, low, 0)
    return np.where(np.isnan(values) | ~varies, 0, (values - low) / span).astype(np.float32)


def direction(turns: np.ndarray, circle: bool) -> np.ndarray:
    """Turn directions ``[R, 1]`` in turns (0 is north, 0.25 east) into channels in [0, 1].

    There is one channel, which jumps at north, or the two of a point on a ``circle``; zero where a
    direction is NaN.

    Returns
    -------
    numpy.ndarray
        ``float32 [R, 1]`` or ``[R, 2]``.
    """
    if circle:
        angle = 2 * np.pi * turns
        turns = (1 + np.concatenate([np.sin(angle), np.cos(angle)], axis=1)) / 2
    return np.nan_to_num(turns).astype(np.float32)


def read_columns(path: Path, names: Sequence[str] | None = None) -> Cells:
    """Read the cells of a CSV file, which may be compressed by gzip, by the name of their column.

    Columns other than ``names`` are dropped line by line, and never held; ``None`` keeps all.

    Raises
    ------
    UserError
        The file is damaged, or lacks a column.
    """
    open_text = gzip.open if path.suffix == ".gz" else open
    try:
        with open_text(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            header = next(lines, [])
            names = header if names is None else names
            if lacking := [name for name in names if name not in header]:
                raise UserError(f"{path}: has no column {lacking[0]}; download it again")
            places = [header.index(name) for name in names]
            rows = []
            for cells in lines:
                if len(cells) != len(header):
                    raise UserError(
                        f"{path}, line {lines.line_num}: {len(cells)} cells, where the header has "
                        f"{len(header)}; download it again"
                    )
                rows.append([cells[i] for i in places])
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
        raise UserError(f"{path}: not a readable table ({error}); download it again") from error
    if not rows:
        raise UserError(f"{path}: holds no rows; download it again")
    return dict(zip(names, map(list, zip(*rows))))


def to_numbers(cells: Cells, names: Sequence[str], path: Path) -> np.ndarray:
    """Return columns as ``float64 [R, columns]``, NaN where a value is unknown.

    Raises
    ------
    UserError
        A cell is no finite number.
    """
    values = np.empty((len(cells[names[0]]), len(names)))
    for i, name in enumerate(names):
        for row, cell in enumerate(cells[name]):
            try:
                values[row, i] = np.nan if cell in UNKNOWN else float(cell)
            except ValueError:
                values[row, i] = np.inf
        if np.isinf(values[:, i]).any():
            row = int(np.flatnonzero(np.isinf(values[:, i]))[0])
            raise UserError(
                f"{path}: {name} is not a number in row {row + 1} ({cells[name][row][:20]!r}); "
                "download it again"
            )
    return values


def first_rows(cells: Cells, clock: str, rows: int, path: Path) -> Cells:
    """Return the first ``rows`` rows in the order of the column ``clock``.

    Raises
    ------
    UserError
        A time is not known.
    """
    time = to_numbers(cells, [clock], path)[:, 0]
    if np.isnan(time).any():
        raise UserError(f"{path}: a row has no {clock}; download it again")
    order = np.argsort(time, kind="stable")[:rows]
    return {name: [column[i] for i in order] for name, column in cells.items()}


@dataclass(frozen=True)
class StreamsOfPeople(Source):
    """A stream of each person, in a file of its own; an owner is a person.

    Attributes
    ----------
    people
        Numbers of people from 0 on, in the order of the registered files' names; ``null``: all.
    """

    people: tuple[Natural, ...] | None = None

    def wanted(self, entry: DatasetEntry) -> DatasetEntry:
        """Return the entry with the listed files of the people, in the order of their numbers.

        Raises
        ------
        UserError
            There is no such person.
        """
        names = [] if entry.listed is None else sorted(entry.listed.sha256)
        numbers = self._numbers(len(names))
        if absent := [number for number in numbers if number >= len(names)]:
            raise UserError(
                f"{entry.name}: there is no person {absent[0]}; they are 0 to {len(names) - 1}"
            )
        return entry.only(names[number] for number in numbers)

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the files."""
        return self.windows(list(raw.values()))

    def windows(self, paths: Sequence[Path]) -> SeriesDataset:
        """Make the dataset of the people's files, in the order of their numbers.

        Raises
        ------
        UserError
            A file is damaged, or not of this dataset.
        """
        raise NotImplementedError

    def numbered(self, paths: Sequence[Path]) -> dict[int, Path]:
        """Return the people's files by their numbers."""
        return dict(zip(self._numbers(len(paths)), paths))

    def _numbers(self, n: int) -> Sequence[int]:
        return range(n) if self.people is None else sorted(set(self.people))
