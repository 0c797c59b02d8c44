"""Recordings become series: gaps, resampling, missing values, windows, and what is predicted."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import numpy as np

from fedreact.errors import UserError, known
from fedreact.io.contract import Recording, Recordings
from fedreact.options import Positive

JUMP = 1.5
"""Usual times between steps above which the time between two steps is a gap."""

TRIALS = 5
"""Recordings that each client needs, so that they can be the trials of their windows."""
MISSING = "with missing values (--nan fill keeps them)"
"""Why a series with missing values is dropped."""
NAMED = 5
"""Channels with missing values that a note names at most."""
LOST = 0.05
"""Share of all steps in recordings that are too short for a window, above which a note says so."""
DATES = 1e8
"""Seconds since 1970 from which times are shown as dates."""
UNITS = {"s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800}
"""Seconds of the units of lengths."""


@dataclass(frozen=True)
class Cutting:
    """How recordings become series.

    Attributes
    ----------
    window
        Length of a window, in steps (128) or time (2.5s, 5min, 36h, 7day, 12week); ``null``: a
        recording is a series.
    step
        Steps or time from a window to the next; ``null``: the length of a window, so that
        windows do not overlap, or for forecasts one step.
    label_rule
        Label of a window whose steps have several: the one of most steps, of the last step, or
        none, so that the window is dropped (``constant``).
    forecast
        Columns to forecast, with commas between them: the target of a window is their value some
        steps after it.
    ahead
        Steps or time from the end of a window to the value that is forecast.
    resample
        Steps in a second, to which recordings are brought: means over longer times, straight lines
        over shorter ones; ``null``: as they are.
    gaps
        Whether time that is missing between two steps breaks a recording; ``null``: if windows are
        cut.
    fill
        Longest gap, in steps or time, that is filled by straight lines; ``null``: none.
    nan
        What becomes of series with missing values: they are dropped, or their values are filled by
        straight lines.
    rest
        What becomes of the steps after the last whole window: they are dropped, or padded with
        zeros to a series of their own.
    """

    window: str | None = None
    step: str | None = None
    label_rule: Literal["majority", "last", "constant"] = "majority"
    forecast: tuple[str, ...] = ()
    ahead: str = "1"
    resample: Positive | None = None
    gaps: Literal["break", "keep"] | None = None
    fill: str | None = None
    nan: Literal["drop", "fill"] = "drop"
    rest: Literal["drop", "pad"] = "drop"

    def check(self) -> None:
        """Raise a ``UserError`` for options that do not go together."""
        if self.window is None and (self.step is not None or self.forecast):
            needs = "--step" if self.step is not None else "--forecast"
            raise UserError(f"{needs} needs --window: a recording is one series without it")
        if self.forecast and self.rest == "pad":
            raise UserError("--rest pad: a forecast needs whole windows")


@dataclass
class Series:
    """Series that were cut, in steps of their recordings.

    Attributes
    ----------
    recordings
        Pieces of recordings, each ``float64 [R, channels]``.
    piece, start, length
        ``int [N]``: the piece of each series, its first step there, and its steps.
    client, trial, label
        Names ``[N]``, or ``None``.
    target, previous
        ``float64 [N, M]``, or ``None``.
    time
        ``float64 [N]``: seconds at which each ends.
    tested
        ``bool [N]``, or ``None``.
    dropped
        Series that were dropped, by reason.
    notes
        Sentences for the summary.
    steps
        Length of a window; ``None`` if recordings are series.
    stride
        Steps from a window to the next.
    ahead
        Steps from the end of a window to what is predicted.
    """

    channels: tuple[str, ...]
    targets: tuple[str, ...]
    recordings: list[np.ndarray]
    piece: np.ndarray
    start: np.ndarray
    length: np.ndarray
    client: np.ndarray | None
    trial: np.ndarray | None
    label: np.ndarray | None
    target: np.ndarray | None
    previous: np.ndarray | None
    time: np.ndarray | None
    tested: np.ndarray | None
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    steps: int | None = None
    stride: int = 0
    ahead: int = 0

    @property
    def gap(self) -> int:
        """Windows between two that share no step, also where a value after a window is forecast."""
        if not self.overlap or self.steps is None or self.trial is not None:
            return 0
        return -(-(self.steps + self.ahead) // self.stride) - 1

    @property
    def overlap(self) -> bool:
        """Whether neighbouring windows share steps."""
        return self.steps is not None and self.stride < self.steps


def cut(read: Recordings, how: Cutting) -> Series:
    """Cut recordings into series.

    Raises
    ------
    UserError
        No series is left, or options do not fit the recordings.
    """
    how.check()
    columns = _forecast_columns(read, how)
    pieces = [piece for whole in read.parts for piece in _pieces(whole, how)]
    if not pieces:
        raise UserError("there are no recordings with two steps or more")
    rate = _rate(pieces, how)
    steps = None if how.window is None else steps_of(how.window, rate, "--window")
    default = 1 if how.forecast else steps or 0
    stride = default if how.step is None else steps_of(how.step, rate, "--step")
    ahead = steps_of(how.ahead, rate, "--ahead") if how.forecast else 0
    dropped: Counter[str] = Counter()
    lines: list[_Line] = []
    for number, piece in enumerate(pieces):
        for line in _windows(piece, how, steps, stride, ahead, columns):
            if isinstance(line, str):
                dropped[line] += 1
            else:
                line.piece = number
                lines.append(line)
    if not lines:
        reasons = "; ".join(f"{n} {why}" for why, n in dropped.most_common())
        raise UserError(f"no series is left: {reasons}")
    series = _gathered(read, pieces, lines, how)
    series.dropped, series.steps, series.stride = dropped, steps, stride
    series.ahead = ahead
    series.notes += [*read.notes, *_too_short(pieces, how, steps, ahead), *_mixed(lines, how)]
    if dropped[MISSING]:
        absent = sum((~np.isfinite(part.values)).sum(0) for part in read.parts)
        number = sum(len(part.values) for part in read.parts)
        series.notes.append(where_missing(absent, read.channels, number))
    if steps is not None and series.trial is None and (series.overlap or not how.forecast):
        _name_trials(series)
    return series


@dataclass
class _Line:
    """One series: where it is, and what it is of; ``mixed`` if its steps have several labels."""

    start: int
    length: int
    label: str | None
    target: np.ndarray | None
    previous: np.ndarray | None
    time: float | None
    mixed: bool
    piece: int = -1


# ---- Recordings become pieces without gaps ------------------------------------------------------


def _pieces(whole: Recording, how: Cutting) -> Iterator[Recording]:
    """Yield a recording, broken at its gaps, at the rate that is asked for, with values filled."""
    whole = _in_order(whole)
    for piece in _broken(whole, how):
        if how.resample is not None:
            piece = _resampled(piece, how.resample)
        if how.nan == "fill":
            piece = replace(piece, values=filled(piece.values))
        yield piece


def _in_order(piece: Recording) -> Recording:
    """Sort steps by time; of steps at one time the first one stays."""
    time = piece.time
    if time is None or len(time) < 2 or (time == time[0]).all():  # a series, with its end
        return piece
    _, first = np.unique(time, return_index=True)
    return piece if (np.diff(time) > 0).all() else piece.part(first)


def _usual(time: np.ndarray) -> float:
    """Return the usual time between two steps."""
    return float(np.median(np.diff(time)))


def _broken(piece: Recording, how: Cutting) -> Iterator[Recording]:
    """Yield the stretches of a recording between its gaps; short gaps are filled if asked for."""
    time = piece.time
    breaks = how.gaps == "break" or (how.gaps is None and how.window is not None)
    if time is None or len(time) < 3 or (time == time[0]).all() or not breaks:
        yield piece
        return
    usual = _usual(time)
    ends = np.flatnonzero(np.diff(time) > JUMP * usual) + 1
    longest = 0.0 if how.fill is None else seconds_of(how.fill, usual)
    close = [end for end in ends if time[end] - time[end - 1] <= longest + 0.5 * usual]
    for where in np.split(np.arange(len(time)), np.setdiff1d(ends, close)):
        stretch = piece.part(where)
        yield _with_steps(stretch, usual) if np.isin(close, where).any() else stretch


def _with_steps(piece: Recording, usual: float) -> Recording:
    """Add the steps that are missing between others, on straight lines."""
    time = piece.time
    assert time is not None
    missing = np.maximum(np.round(np.diff(time) / usual).astype(int) - 1, 0)
    new = [np.linspace(time[i], time[i + 1], n + 2)[1:-1] for i, n in enumerate(missing) if n > 0]
    return _at(piece, np.sort(np.concatenate([time, *new])))


def _resampled(piece: Recording, rate: float) -> Recording:
    """Bring a recording to so many steps in a second.

    Raises
    ------
    UserError
        Nothing says when its steps are.
    """
    time = piece.time
    if time is None and piece.rate is not None:
        time = np.arange(len(piece.values)) / piece.rate
    if time is None or (len(time) > 1 and (time == time[0]).all()):
        raise UserError(
            f"--resample: {piece.where} does not say when its steps are; name a column by --time, "
            "or the --sampling-rate"
        )
    if len(time) < 2:
        return piece
    n = int(np.floor((time[-1] - time[0]) * rate + 1e-6)) + 1
    grid = time[0] + np.arange(n) / rate
    timed = replace(piece, time=time)
    if _usual(time) * 1.5 < 1 / rate:  # several steps become one: their mean
        timed = _averaged(timed, grid, rate)
        if len(timed.values) == n:
            return replace(timed, rate=rate, time=None if piece.time is None else grid)
    return replace(_at(timed, grid), rate=rate, time=None if piece.time is None else grid)


def _averaged(piece: Recording, grid: np.ndarray, rate: float) -> Recording:
    """Average the steps that are nearest to each point of a grid; labels are those of the last."""
    assert piece.time is not None
    bins = np.clip(np.round((piece.time - grid[0]) * rate).astype(int), 0, len(grid) - 1)
    there, last = np.unique(bins[::-1], return_index=True)
    last = len(bins) - 1 - last

    def mean(values: np.ndarray) -> np.ndarray:
        known_ = np.isfinite(values)
        sums, counts = (np.zeros((len(grid), values.shape[1])) for _ in range(2))
        np.add.at(sums, bins, np.where(known_, values, 0))
        np.add.at(counts, bins, known_)
        with np.errstate(invalid="ignore"):
            out: np.ndarray = (sums / counts)[there]
        return out

    chosen = piece.part(last)
    target = None if piece.target is None else mean(piece.target)
    return replace(chosen, values=mean(piece.values), target=target, time=grid[there])


def _at(piece: Recording, time: np.ndarray) -> Recording:
    """Return values on straight lines at other times; labels are those of the step before."""
    assert piece.time is not None
    before = np.clip(np.searchsorted(piece.time, time + 1e-9, side="right") - 1, 0, None)

    def lines(values: np.ndarray) -> np.ndarray:
        return np.stack([np.interp(time, piece.time, column) for column in values.T], axis=1)  # type: ignore[arg-type]

    return replace(
        piece.part(before),
        values=lines(piece.values),
        target=None if piece.target is None else lines(piece.target),
        time=time,
    )


def filled(values: np.ndarray) -> np.ndarray:
    """Fill missing values ``[R, C]`` by straight lines, and at the ends by the nearest value.

    A channel without any value stays as it is.
    """
    out, steps = values.copy(), np.arange(len(values))
    for column in out.T:
        there = np.isfinite(column)
        if there.any() and not there.all():
            column[~there] = np.interp(steps[~there], steps[there], column[there])
    return out


# ---- Windows ------------------------------------------------------------------------------------


def steps_of(text: str, rate: float | None, option: str) -> int:
    """Read a length: steps, or a time if it ends in one of :data:`UNITS`.

    Raises
    ------
    UserError
        It is no such length, or nothing says how many steps a second has.
    """
    match = re.fullmatch(rf"(\d+(?:\.\d+)?)\s*({'|'.join(UNITS)}|)", text.strip())
    if match is None or (not match[2] and "." in match[1]):
        raise UserError(f"{option} {text}: wanted steps (128) or a time (2.5s, 36h, 7day, 12week)")
    if not match[2]:
        steps = int(match[1])
    elif rate is None:
        raise UserError(
            f"{option} {text}: nothing says how many steps a second has; name a column by --time, "
            "or the --sampling-rate, or give steps"
        )
    else:
        steps = round(float(match[1]) * UNITS[match[2]] * rate)
    if steps < 1:
        raise UserError(f"{option} {text}: this is less than one step")
    return steps


def seconds_of(text: str, usual: float) -> float:
    """Read a length in steps or time as seconds, given the usual time between two steps."""
    if is_time(text):
        return steps_of(text, 1e6, "--fill") / 1e6
    return steps_of(text, None, "--fill") * usual


def is_time(text: str) -> bool:
    """Tell whether a length is a time; else it is a number of steps."""
    return text.strip().endswith(tuple(UNITS))


def _rate(pieces: list[Recording], how: Cutting) -> float | None:
    """Return the steps in a second of all recordings; ``None`` if it is not known."""
    if how.resample is not None:
        return how.resample
    rates = []
    for piece in pieces:
        if piece.rate is not None:
            rates.append(piece.rate)
        elif piece.time is not None and len(piece.time) > 1 and piece.time[0] != piece.time[-1]:
            rates.append(1 / _usual(piece.time))
    if not rates:
        return None
    usual = float(np.median(rates))
    odd = [rate for rate in rates if abs(rate / usual - 1) > 0.05]
    uses_time = any(text and is_time(text) for text in (how.window, how.step))
    if uses_time and len(odd) > len(rates) / 20:
        raise UserError(
            f"recordings have from {min(rates):.4g} to {max(rates):.4g} steps in a second; bring "
            "them to one number by --resample"
        )
    return usual


def _forecast_columns(read: Recordings, how: Cutting) -> list[int]:
    """Return the channels that are forecast."""
    for name in how.forecast:
        if name not in read.channels:
            raise UserError(
                f"--forecast: no channel {name!r}; there are {known(read.channels, name)}"
            )
    if how.forecast and (read.targets or any(p.label is not None for p in read.parts)):
        raise UserError("--forecast sets what is predicted, so there can be no --label or --target")
    return [read.channels.index(name) for name in how.forecast]


def _windows(
    piece: Recording,
    how: Cutting,
    steps: int | None,
    stride: int,
    ahead: int,
    columns: list[int],
) -> "Iterator[_Line | str]":
    """Yield the series of a piece, or why one is dropped."""
    R = len(piece.values)
    missing = np.concatenate([[0], np.cumsum(~np.isfinite(piece.values).all(1))])
    if steps is None:
        starts, lengths = np.array([0]), np.array([R])
    else:
        starts = np.arange(0, max(R - steps - ahead + 1, 0), stride)
        lengths = np.full(len(starts), steps)
        left = (int(starts[-1]) + stride) if len(starts) else 0
        if how.rest == "pad" and left < R and R - left > 1:
            starts, lengths = np.append(starts, left), np.append(lengths, min(R - left, steps))
        if not len(starts):
            yield f"from recordings of fewer than {_needed(steps, ahead)}"
    labels = _labels(piece, how, starts, lengths)
    for i, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist())):
        end = start + length
        if missing[end] > missing[start]:
            yield MISSING
            continue
        target = previous = None
        if columns:
            last = end - 1
            target, previous = piece.values[last + ahead, columns], piece.values[last, columns]
        elif piece.target is not None:
            target = piece.target[end - 1]
        if target is not None and not np.isfinite(target).all():
            yield "without a target"
            continue
        label = None if labels is None else labels[i]
        if labels is not None and not label:
            yield "with several labels" if label is None else "without a label"
            continue
        time = None if piece.time is None else float(piece.time[end - 1])
        mixed = isinstance(piece.label, np.ndarray) and len(set(piece.label[start:end])) > 1
        yield _Line(start, length, label, target, previous, time, mixed)


def _needed(steps: int, ahead: int) -> str:
    """Say what a recording needs for a window, e.g. ``128 steps, which is a window``."""
    if not ahead:
        return f"{steps} steps, which is a window"
    return f"{steps + ahead} steps: a window and {ahead} more until what is forecast"


def _too_short(pieces: list[Recording], how: Cutting, steps: int | None, ahead: int) -> list[str]:
    """Say how much of the data is in recordings that are too short for a window, if it is much."""
    if steps is None or how.rest == "pad":
        return []
    needed = steps + ahead
    sizes = np.array([len(piece.values) for piece in pieces])
    share = sizes[sizes < needed].sum() / sizes.sum()
    if share <= LOST:
        return []
    return [
        f"{share:.0%} of all steps are lost in {(sizes < needed).sum():,} recordings of fewer than "
        f"{_needed(steps, ahead)}{_ends_early(pieces, needed)}. A shorter --window loses fewer, or "
        "--fill if gaps between recordings are short"
    ]


def where_missing(absent: np.ndarray, channels: Sequence[str], steps: int) -> str:
    """Say in which channels values are missing, and in how many of all ``steps``.

    ``absent [C]`` counts the steps of each channel without a value.
    """
    most = sorted(zip(absent, channels, strict=True), key=lambda pair: -pair[0])
    shares = [f"{name} ({n:,} of {steps:,} steps)" for n, name in most if n]
    more = [f"{len(shares) - NAMED} channels more"] if len(shares) > NAMED else []
    named = ", ".join([*shares[:NAMED], *more])
    return f"values are missing in {named}; --channels names those that are read"


def _mixed(lines: list[_Line], how: Cutting) -> list[str]:
    """Say how many windows have steps of several labels, and which label they get."""
    if not (number := sum(line.mixed for line in lines)):
        return []
    which = "of their last step" if how.label_rule == "last" else "of most of their steps"
    return [
        f"{number:,} of {len(lines):,} windows have steps of several labels, and get the label "
        f"{which} (--label-rule constant drops them)"
    ]


def _ends_early(pieces: list[Recording], needed: int) -> str:
    """Name the last step that is used, if a part of the time after it is lost as a whole."""
    ends = [(len(p.values) >= needed, p.time[-1]) for p in pieces if p.time is not None]
    used = [end for long_enough, end in ends if long_enough]
    if not used or max(end for _, end in ends) == max(used):
        return ""
    return f", among them all after {moment(max(used))}"


def moment(time: float) -> str:
    """Write a time: as a date if it counts from 1970, else in seconds."""
    if time < DATES:
        return f"{time:g} s"
    return f"{datetime.fromtimestamp(float(time), UTC):%Y-%m-%d %H:%M}"


def _labels(
    piece: Recording, how: Cutting, starts: np.ndarray, lengths: np.ndarray
) -> list[str | None] | None:
    """Return the label of each window: empty if it has none, ``None`` if it has several.

    Raises
    ------
    UserError
        A whole recording has several labels.
    """
    if piece.label is None:
        return None
    if isinstance(piece.label, str):
        return [piece.label] * len(starts)
    names, codes = np.unique(piece.label, return_inverse=True)
    if how.window is None and len(names) > 1:
        shown = ", ".join(map(str, names[:3]))
        raise UserError(
            f"{piece.where}: its label changes ({shown}, ...), so it is no single series; cut it "
            "by --window, or name the trials by --trial"
        )
    ends = starts + lengths
    counts = np.zeros((len(starts), len(names)), int)
    for code in range(len(names)):
        sums = np.concatenate([[0], np.cumsum(codes == code)])
        counts[:, code] = sums[ends] - sums[starts]
    if how.label_rule == "last":
        return [str(names[code]) for code in codes[ends - 1]]
    chosen: list[str | None] = [str(name) for name in names[counts.argmax(1)]]
    if how.label_rule == "constant":
        whole = counts.max(1) == lengths
        return [name if same else None for name, same in zip(chosen, whole)]
    return chosen


# ---- Series -------------------------------------------------------------------------------------


def _gathered(
    read: Recordings, pieces: list[Recording], lines: list[_Line], how: Cutting
) -> Series:
    """Put all series into arrays."""
    own = [pieces[line.piece] for line in lines]

    def names(values: list[str | None], what: str) -> np.ndarray | None:
        if lacking := sum(value is None for value in values):
            if lacking < len(values):
                raise UserError(
                    f"{lacking} of {len(values)} series have no {what}, others have one"
                )
            return None
        return np.array(values)

    tested = [piece.tested for piece in own]
    if None in tested and any(mark is not None for mark in tested):
        raise UserError("some files say whether they are for testing, and others do not")
    trials = [
        None if piece.trial is None else "/".join(filter(None, (piece.client, piece.trial)))
        for piece in own
    ]
    time = [line.time for line in lines]
    notes = []
    if None not in time and _times_restart(pieces):
        time = [None] * len(lines)
        notes.append(
            "times of a client's recordings overlap, so they do not have one origin: series keep "
            "the order of the files instead"
        )

    def numbers(values: list[np.ndarray | None]) -> np.ndarray | None:
        return None if values[0] is None else np.array(values, float)

    return Series(
        read.channels,
        how.forecast or read.targets,
        [piece.values for piece in pieces],
        np.array([line.piece for line in lines]),
        np.array([line.start for line in lines]),
        np.array([line.length for line in lines]),
        names([piece.client for piece in own], "client"),
        names(trials, "trial"),
        names([line.label for line in lines], "label"),
        numbers([line.target for line in lines]),
        numbers([line.previous for line in lines]),
        None if None in time else np.array(time, float),
        None if tested[0] is None else np.array(tested, bool),
        notes=notes,
    )


def _times_restart(pieces: list[Recording]) -> bool:
    """Tell whether two recordings of a client cover the same time."""
    by_client: dict[str | None, list[tuple[float, float]]] = {}
    for piece in pieces:
        if piece.time is not None and len(piece.time) > 1 and piece.time[0] < piece.time[-1]:
            span = float(piece.time[0]), float(piece.time[-1])
            by_client.setdefault(piece.client, []).append(span)
    spans = [sorted(each) for each in by_client.values()]
    return any(a[1] > b[0] for each in spans for a, b in pairwise(each))


def _name_trials(series: Series) -> None:
    """Make recordings the trials of their windows, if each client has several.

    Windows of one recording are alike, the more so if they overlap.
    """
    if len(np.unique(series.piece)) == len(series.piece):
        return
    clients = series.client if series.client is not None else np.zeros(len(series.piece), int)
    pairs = np.unique(np.stack([np.unique(clients, return_inverse=True)[1], series.piece]), axis=1)
    if np.bincount(pairs[0]).min() >= TRIALS:
        series.trial = np.array([f"recording {piece + 1}" for piece in series.piece])
        series.notes.append(
            "windows of a recording are alike, so each recording is a trial: it is never split "
            "between train and test"
        )
    elif not series.overlap:
        series.notes.append(
            f"windows of a recording are alike, and a client has fewer than {TRIALS} recordings, "
            "so do not split windows at random: split in time, as fedreact try does (split: "
            "chronological, or chronological-by-label), or name what belongs together (--trial)"
        )
