"""Streams: rows in the order of time, of a person or a place; past rows predict a later one."""

import csv
import gzip
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import DatasetEntry
from fedreact.data.windows import Windows
from fedreact.errors import UserError

UNKNOWN = ("", "NA", "nan", "NaN")
"""Cells that stand for a value that was not recorded."""


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
        ``int64 [R]``: no window reaches from a row of one piece to a row of another; ``None``: it
        is all one.
    """

    inputs: np.ndarray
    targets: np.ndarray
    time: np.ndarray
    wanted: np.ndarray
    piece: np.ndarray | None = None


def assemble(name: str, streams: dict[int, Stream], length: int, horizon: int = 1) -> SeriesDataset:
    """Windows of ``length`` rows, each with the targets of the row ``horizon`` after its last.

    Their ``previous`` are the targets of their last rows, zero where these are NaN.

    Parameters
    ----------
    name
        Name of the dataset.
    streams
        By their owner.
    length, horizon
        In rows.

    Raises
    ------
    UserError
        A stream is too short for a window.
    """
    values, starts, targets, previous, owner, time, before = [], [], [], [], [], [], 0
    for who, stream in streams.items():
        last = np.arange(length - 1, len(stream.time) - horizon)
        predicted, first = last + horizon, last - length + 1
        good = stream.wanted[predicted]
        if stream.piece is not None:
            # Pieces may come back after others: equal ends alone would not do.
            border = np.r_[0, np.cumsum(np.diff(stream.piece) != 0)]
            good &= border[first] == border[predicted]
        if not good.any():
            raise UserError(
                f"{name}: the {len(stream.time)} rows of {who} hold no window of {length} rows "
                f"and a target {horizon} later"
            )
        values.append(stream.inputs)
        starts.append(before + first[good])
        targets.append(stream.targets[predicted[good]])
        previous.append(np.nan_to_num(stream.targets[last[good]]))
        time.append(stream.time[last[good]])
        owner.append(np.full(good.sum(), who))
        before += len(stream.time)
    X = Windows(np.concatenate(values), np.concatenate(starts), length)
    y, was, whose, when = (np.concatenate(of) for of in (targets, previous, owner, time))
    return SeriesDataset(name, X, np.full(len(y), length), y, whose, time=when, previous=was)


def filled(values: np.ndarray) -> np.ndarray:
    """Values ``[R, channels]`` with the last known one where NaN; NaN where none is known yet.

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
    of = values[: max(1, int(share * len(values)))]
    low = np.where(np.isnan(of), np.inf, of).min(axis=0)
    high = np.where(np.isnan(of), -np.inf, of).max(axis=0)
    varies = high > low
    low, span = np.where(varies, low, 0), np.where(varies, high, 1) - np.where(varies, low, 0)
    return np.where(np.isnan(values) | ~varies, 0, (values - low) / span).astype(np.float32)


def direction(turns: np.ndarray, circle: bool) -> np.ndarray:
    """Directions ``[R, 1]`` in turns (0 is north, 0.25 east) as channels in [0, 1].

    One channel as they are, which jumps at north, or the two of a point on a circle; zero where a
    direction is NaN.

    Returns
    -------
    numpy.ndarray
        ``float32 [R, 1]`` or ``[R, 2]``.
    """
    if circle:
        around = 2 * np.pi * turns
        turns = (1 + np.concatenate([np.sin(around), np.cos(around)], axis=1)) / 2
    return np.nan_to_num(turns).astype(np.float32)


def columns(path: Path, wanted: Sequence[str] | None = None) -> dict[str, list[str]]:
    """Cells of a CSV file, which may be compressed by gzip, by the name of their column.

    Columns that are not ``wanted`` are dropped line by line, and never held; ``None``: all are.

    Raises
    ------
    UserError
        The file is damaged, or lacks a column.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            header = next(lines, [])
            names = header if wanted is None else list(wanted)
            if lacking := [name for name in names if name not in header]:
                raise UserError(f"{path}: has no column {lacking[0]}; download it again")
            at = [header.index(name) for name in names]
            kept = []
            for cells in lines:
                if len(cells) != len(header):
                    raise UserError(
                        f"{path}, line {lines.line_num}: {len(cells)} cells, where the header has "
                        f"{len(header)}; download it again"
                    )
                kept.append([cells[i] for i in at])
    except (OSError, EOFError, ValueError, csv.Error, zlib.error) as error:
        raise UserError(f"{path}: not a readable table ({error}); download it again") from error
    if not kept:
        raise UserError(f"{path}: holds no rows; download it again")
    return dict(zip(names, map(list, zip(*kept))))


def numbers(cells: dict[str, list[str]], names: Sequence[str], path: Path) -> np.ndarray:
    """Columns as ``float64 [R, columns]``, NaN where a value is unknown.

    Raises
    ------
    UserError
        A cell is no finite number.
    """
    found = np.empty((len(cells[names[0]]), len(names)))
    for i, name in enumerate(names):
        for row, cell in enumerate(cells[name]):
            try:
                found[row, i] = np.nan if cell in UNKNOWN else float(cell)
            except ValueError:
                found[row, i] = np.inf
        if np.isinf(found[:, i]).any():
            row = int(np.flatnonzero(np.isinf(found[:, i]))[0])
            raise UserError(
                f"{path}: {name} is not a number in row {row + 1} ({cells[name][row][:20]!r}); "
                "download it again"
            )
    return found


def first_rows(
    cells: dict[str, list[str]], clock: str, rows: int, path: Path
) -> dict[str, list[str]]:
    """The first ``rows`` rows in the order of the column ``clock``.

    Raises
    ------
    UserError
        A time is not known.
    """
    time = numbers(cells, [clock], path)[:, 0]
    if np.isnan(time).any():
        raise UserError(f"{path}: a row has no {clock}; download it again")
    order = np.argsort(time, kind="stable")[:rows]
    return {name: [column[i] for i in order] for name, column in cells.items()}


def chosen(entry: DatasetEntry, people: tuple[int, ...] | None) -> list[str]:
    """Names of the listed files of some people, in the order of their numbers.

    Raises
    ------
    UserError
        There is no such person.
    """
    names = [] if entry.listed is None else sorted(entry.listed.sha256)
    numbers_of = range(len(names)) if people is None else sorted(set(people))
    if absent := [n for n in numbers_of if n >= len(names)]:
        raise UserError(
            f"{entry.name}: there is no person {absent[0]}; they are 0 to {len(names) - 1}"
        )
    return [names[number] for number in numbers_of]


def numbered(paths: Iterable[Path], people: tuple[int, ...] | None) -> dict[int, Path]:
    """Files by the numbers of the people that they are of."""
    paths = list(paths)
    return dict(zip(range(len(paths)) if people is None else sorted(set(people)), paths))
