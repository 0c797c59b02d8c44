"""A user's files become the arrays of docs/howto/own_data.md, with an account of what was done."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fedreact import npz
from fedreact.clients.partitioners.owner import Owner
from fedreact.data import copies, own
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.errors import UserError, unknown
from fedreact.io.contract import Reader, Recordings
from fedreact.io.cutting import DATES, MISSING, Cutting, Series, cut, filled, moment, where_missing
from fedreact.options import InnerShare, changed

Arrays = dict[str, np.ndarray]

OF_SERIES = ("y", "client", "trial", "time", "tested", "lengths", "previous", "start")
"""Arrays with an entry for each series, beside ``X``."""


@dataclass(frozen=True)
class Finishing:
    """What is done to series once they are cut.

    Attributes
    ----------
    copies
        What becomes of series that are the same as earlier ones.
    hold_out
        Share of each client's series, its last ones, that is marked for testing (split: source);
        series that overlap with them are dropped.
    scale
        Whether channels are brought to mean 0 and spread 1: over each ``series`` (so that levels
        are lost); over the train series of each ``client``, which --tested or --hold-out tells; or
        over those of ``all`` clients together, whose sums they can share without their series.
        Where none is marked for testing, that is over all series. With ``client``, what is forecast
        is scaled, too, so that errors are in units of a client's spread.
    drop_labels
        Labels whose series are left out, such as that of unlabelled steps.
    """

    copies: Literal["keep", "drop"] = "keep"
    hold_out: InnerShare | None = None
    scale: Literal["none", "series", "client", "all"] = "none"
    drop_labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """A dataset with the account of its import.

    Attributes
    ----------
    arrays
        As ``numpy.savez`` would write them to ``data/own/<name>.npz``.
    data
        The same, checked.
    dropped
        Series that were dropped, by reason.
    notes
        Sentences on what was left out or decided.
    advice
        Sentences for those who choose the split of clients themselves.
    gap
        Series to leave out before a chronological test set, which a note asks for; 0: none.
    """

    arrays: Arrays
    data: SeriesDataset
    dropped: Counter[str]
    notes: list[str]
    advice: list[str] = field(default_factory=list)
    gap: int = 0

    def summary(self, advise: bool = True) -> list[str]:
        """Write lines for people: how much there is, and what was dropped and why."""
        data, task = self.data, self.data.task
        steps = f"{span(data.lengths)} steps"
        names = ", ".join(data.channel_name(c) for c in range(min(task.channels, 8)))
        more = ", ..." if task.channels > 8 else ""
        channels = "1 channel" if task.channels == 1 else f"{task.channels} channels"
        lines = [f"{len(data.X)} series of {steps}", f"{channels}: {names}{more}"]
        if data.owner is None:
            lines.append(
                "no clients: nothing says who holds a series (--client, or --layout wide if each "
                "column is a client)"
            )
        else:
            sizes = np.bincount(data.owner)
            lines.append(
                f"{len(sizes)} clients with {span(sizes)} series: "
                + _counted(sizes, data.owner_name)
            )
        if task.kind == "classification":
            sizes = np.bincount(data.y)
            lines.append(f"{len(sizes)} labels: " + _counted(sizes, data.label_name))
        elif task.kind == "regression":
            named = ", ".join(data.label_name(m) for m in range(task.outputs))
            values = data.y.reshape(len(data.y), -1)
            lines.append(f"targets: {named}, from {values.min():.4g} to {values.max():.4g}")
        else:
            lines.append(f"{task.outputs} labels that may be true together")
        if data.time is not None:
            lines.append(f"times: series {span_of_times(data.time)}")
        if data.tested is not None:
            lines.append(f"{int(data.tested.sum())} series are marked for testing")
        notes = [*self.notes, *self.advice] if advise else self.notes
        return [*lines, *self.lost(), *(f"note: {note}" for note in notes)]

    def lost(self) -> list[str]:
        """Say which series were dropped, and why."""
        return [f"dropped: {number} series {why}" for why, number in self.dropped.items()]

    def about(self) -> dict[str, Any]:
        """Say the same to a program."""
        data = self.data
        names = Counter() if data.owner is None else Counter(map(data.owner_name, data.owner))
        labels = Counter(map(data.label_name, data.y)) if data.y.dtype == np.int64 else Counter()
        return {
            "series": len(data.X),
            "channels": [data.channel_name(c) for c in range(data.task.channels)],
            "steps": [int(data.lengths.min()), int(data.lengths.max())],
            "task": data.task.kind,
            "clients": dict(names),
            "labels": dict(labels),
            "tested": None if data.tested is None else int(data.tested.sum()),
            "dropped": dict(self.dropped),
            "notes": [*self.notes, *self.advice],
        }


def span(numbers: np.ndarray) -> str:
    """Write the smallest and the largest of numbers; a single one, if they are the same."""
    low, high = numbers.min(), numbers.max()
    return f"{high}" if low == high else f"{low} to {high}"


def span_of_times(times: np.ndarray) -> str:
    """Write the first and last time at which a series ends: as dates if they count from 1970."""
    low, high = float(times.min()), float(times.max())
    if low < DATES:
        return f"end between {low:g} and {high:g} s"
    return f"end between {moment(low)} and {moment(high)}"


def _counted(sizes: np.ndarray, name: Callable[[int], str], most: int = 12) -> str:
    """List names with counts, the first ones."""
    listed = ", ".join(f"{name(k)} ({sizes[k]})" for k in range(min(len(sizes), most)))
    return listed + (", ..." if len(sizes) > most else "")


def import_data(
    source: str, name: str, reader: Reader, cutting: Cutting, finishing: Finishing
) -> Imported:
    """Read a user's files, and make them a dataset.

    Parameters
    ----------
    source
        File, folder, or what else the reader reads.
    name
        Name of the dataset.

    Raises
    ------
    UserError
        One line: what is wrong with which file or option.
    """
    return made_of(reader.read(source), name, cutting, finishing)


def made_of(
    read: Recordings | Arrays, name: str, cutting: Cutting, finishing: Finishing
) -> Imported:
    """Make a dataset of recordings, or of series that are cut already."""
    notes: list[str] = []
    advice: list[str] = []
    dropped: Counter[str] = Counter()
    gap = 0
    if isinstance(read, Recordings):
        series = cut(read, cutting)
        arrays, dropped, notes = _arrays(series), series.dropped, series.notes
        gap = series.gap
        if gap and finishing.hold_out is None:
            advice.append(
                "windows overlap and no trials are named: use split: chronological with gap: "
                f"{gap}, or import with --hold-out; else test and train series share steps"
            )
    else:
        if odd := [key for key in changed(cutting) if key != "nan"]:
            raise UserError(f"--{odd[0].replace('_', '-')}: series of this file are cut already")
        arrays, dropped, notes = _without_missing(read, cutting)
    arrays = _finished(arrays, name, finishing, gap, dropped)
    gap = 0 if finishing.hold_out is not None else gap
    return Imported(arrays, own.dataset_of(arrays, name), dropped, notes, advice, gap)


def _arrays(series: Series) -> Arrays:
    """Return the arrays of series: windows as stretches of recordings if they overlap."""
    arrays: Arrays = {}
    whole = series.steps is not None and (series.length == series.steps).all()
    if whole and series.overlap:
        ends = np.cumsum([0, *map(len, series.recordings)])
        arrays["recording"] = np.nan_to_num(np.concatenate(series.recordings)).astype(np.float32)
        arrays["start"] = ends[series.piece] + series.start
        arrays["steps"] = np.array(series.steps)
    else:
        T = int(series.length.max())
        X = np.zeros((len(series.piece), len(series.channels), T), np.float32)
        places = zip(series.piece.tolist(), series.start.tolist(), series.length.tolist())
        for row, (piece, start, length) in zip(X, places):
            row[:, :length] = series.recordings[piece][start : start + length].T
        arrays["X"] = X
        if (series.length != T).any():
            arrays["lengths"] = series.length
    if series.label is not None:
        arrays["y"] = natural(series.label)
    elif series.target is not None:
        arrays["y"] = _flat(series.target).astype(np.float32)
        arrays["label_names"] = np.array(series.targets)
    else:
        raise UserError("nothing says what is predicted: name --label, --target or --forecast")
    if series.previous is not None:
        arrays["previous"] = _flat(series.previous).astype(np.float32)
    named = {"client": series.client, "trial": series.trial}
    arrays |= {key: natural(names) for key, names in named.items() if names is not None}
    plain = {"time": series.time, "tested": series.tested}
    arrays |= {key: values for key, values in plain.items() if values is not None}
    return arrays | {"channel_names": np.array(series.channels)}


def natural(names: np.ndarray) -> np.ndarray:
    """Return names as integers if all are whole numbers, so that 10 comes after 9."""
    if all(re.fullmatch(r"-?(0|[1-9]\d{0,17})", name) for name in np.unique(names).tolist()):
        return names.astype(np.int64)
    return names


def _flat(values: np.ndarray) -> np.ndarray:
    """Return ``[N]`` for one target, ``[N, M]`` for several."""
    return values[:, 0] if values.shape[1] == 1 else values


def _without_missing(
    arrays: Mapping[str, np.ndarray], how: Cutting
) -> tuple[Arrays, Counter[str], list[str]]:
    """Drop series with missing values, or fill them, and say in which channels they are."""
    arrays = dict(arrays)
    X = arrays.get("X")
    if X is None or X.dtype.kind != "f" or X.ndim != 3 or np.isfinite(X).all():
        return arrays, Counter(), []
    absent = (~np.isfinite(X)).sum((0, 2))
    numbered = np.array([f"channel {c}" for c in range(X.shape[1])])
    names = arrays.get("channel_names", numbered).tolist()
    notes = [where_missing(absent, names, X.shape[0] * X.shape[2])]
    if how.nan == "fill":
        X = np.stack([filled(one.T).T for one in X])
        arrays["X"] = X
    bad = ~np.isfinite(X).all((1, 2))
    why = "with no value to fill from" if how.nan == "fill" else MISSING
    return _kept(arrays, ~bad), Counter({why: int(bad.sum())} if bad.any() else {}), notes


def _kept(arrays: Arrays, which: np.ndarray) -> Arrays:
    """Return the arrays of some series.

    Raises
    ------
    UserError
        None is left.
    """
    if not which.any():
        raise UserError("no series is left")
    there = {"X", *OF_SERIES}
    return {key: values[which] if key in there else values for key, values in arrays.items()}


def _finished(arrays: Arrays, name: str, how: Finishing, gap: int, dropped: Counter[str]) -> Arrays:
    """Drop labels and copies, mark test series, scale."""
    if how.drop_labels:
        arrays, number = _without_labels(arrays, how.drop_labels)
        dropped["of labels that are left out"] += number
    if how.copies == "drop":
        keys = copies.keys(own.dataset_of(arrays, name))
        first = np.zeros(len(keys), bool)
        first[np.unique(keys, return_index=True)[1]] = True
        first |= keys == 0
        dropped["that are copies of others"] += int((~first).sum())
        arrays = _kept(arrays, first)
    if how.hold_out is not None:
        arrays, between = _held_out(arrays, name, how.hold_out, gap)
        dropped["between train and test, which overlap with both"] += between
    for why in [why for why, number in dropped.items() if not number]:
        del dropped[why]
    return arrays if how.scale == "none" else _scaled(arrays, name, how.scale)


def _without_labels(arrays: Arrays, labels: tuple[str, ...]) -> tuple[Arrays, int]:
    """Leave out the series of some labels; also return their number.

    Raises
    ------
    UserError
        Series do not have one label each, or not such labels.
    """
    y = arrays["y"]
    if y.ndim > 1 or y.dtype.kind == "f":
        raise UserError("--drop-labels: series do not have one label each")
    names = y.astype(str)
    known_names = np.unique(names).tolist()
    if odd := [label for label in labels if label not in known_names]:
        raise UserError(f"--drop-labels: {unknown(odd[0], known_names)}")
    out = np.isin(names, labels)
    return _kept(arrays, ~out), int(out.sum())


def _held_out(arrays: Arrays, name: str, share: float, gap: int) -> tuple[Arrays, int]:
    """Mark each client's last series or trials as tested; drop those between."""
    if "tested" in arrays:
        raise UserError("--hold-out: the data says already which series are for testing")
    data = own.dataset_of(arrays, name)
    gap = gap if data.trial is None else 0
    drawn = Owner(split="chronological", test_share=share, gap=gap).deal(data, 0)
    tested = np.zeros(len(data.X), bool)
    tested[np.concatenate(drawn.test)] = True
    used = tested.copy()
    used[np.concatenate(drawn.train)] = True
    return _kept(arrays | {"tested": tested}, used), int((~used).sum())


def _scaled(arrays: Arrays, name: str, how: Literal["series", "client", "all"]) -> Arrays:
    """Bring channels to mean 0 and spread 1: over series, or clients' or all train series."""
    data = own.dataset_of(arrays, name)
    if how == "series":
        group, measured = np.arange(len(data.X)), np.ones(len(data.X), bool)
    elif how == "all":
        group = np.zeros(len(data.X), int)
        measured = np.ones(len(data.X), bool) if data.tested is None else ~data.tested
    elif data.owner is None or data.tested is None:
        raise UserError(
            "--scale client: mean and spread are those of each client's train series, so name "
            "--client, and mark test series by --tested or --hold-out"
        )
    else:
        group, measured = data.owner, ~data.tested
    X = data.X
    if isinstance(X, Windows):
        X = np.asarray(X[np.arange(len(X))]).transpose(0, 2, 1)
    observed = (np.arange(X.shape[2]) < data.lengths[:, None])[:, None]
    out = np.zeros(X.shape, np.float32)
    order = np.argsort(group, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
        among = rows[measured[rows]]
        values = X[among].astype(float)
        n = data.lengths[among].sum()
        mean = (values * observed[among]).sum((0, 2)) / n
        apart = (values - mean[:, None]) * observed[among]
        spread = np.sqrt((apart**2).sum((0, 2)) / n)
        spread = np.where(spread > 1e-12 * np.abs(mean), spread, 1)
        out[rows] = (X[rows] - mean[:, None]) / np.where(spread > 0, spread, 1)[:, None]
    out *= observed
    rest = {
        key: values for key, values in arrays.items() if key not in ("recording", "start", "steps")
    }
    rest["X"] = out
    return _targets_scaled(rest, data) if how == "client" and "previous" in rest else rest


def _targets_scaled(arrays: Arrays, data: SeriesDataset) -> Arrays:
    """Bring each client's targets of a forecast to mean 0 and spread 1 over its train series."""
    assert data.owner is not None
    assert data.tested is not None
    y, previous = (arrays[key].astype(float) for key in ("y", "previous"))
    for client in np.unique(data.owner):
        mine = data.owner == client
        train = y[mine & ~data.tested]
        mean, spread = train.mean(0), train.std(0)
        spread = np.where(spread > 1e-12 * np.abs(mean), spread, 1.0)
        y[mine], previous[mine] = (y[mine] - mean) / spread, (previous[mine] - mean) / spread
    return arrays | {"y": y.astype(np.float32), "previous": previous.astype(np.float32)}


def write(imported: Imported, path: Any) -> None:
    """Write the arrays of a dataset to exactly ``path``."""
    npz.save(path, **imported.arrays)
