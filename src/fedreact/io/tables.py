"""Tables of steps, and tables of series, as recordings: for all readers whose files are tables."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fedreact.errors import UserError, known
from fedreact.io.contract import Recording, Recordings
from fedreact.io.patterns import is_tested
from fedreact.options import Positive

if TYPE_CHECKING:
    import pandas as pd

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0, "h": 3600.0, "day": 86400.0}
"""Seconds of a unit of time."""
AMERICAN = ("%m/%d/%Y %I:%M:%S %p", "%m/%d/%Y %I:%M %p")
"""Formats of dates that pandas does not recognise; the month is first where AM and PM are."""
DIGITS = r"^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-4])?(?:[0-5]\d){0,2}$"
"""Dates whose year, month, day, hour, minute and second are written as one number."""
FIELDS = ("%Y", "%m", "%d", "%H", "%M", "%S")
VALUE = "value"
"""Name of the one channel of a wide table."""


@dataclass(frozen=True)
class Columns:
    """What the columns of a table are.

    Attributes
    ----------
    client
        Column that names who holds a series: a person, place or device.
    label
        Column of labels.
    target
        Columns of numbers to predict, with commas between them.
    trial
        Column that names the trial or recording within a client.
    time
        Column of times: numbers, or dates.
    time_unit
        Unit of times that are numbers.
    time_format
        Format of dates, e.g. %d/%m/%Y %H:%M or %Y%m%d%H; ``null``: ISO 8601, or the format that the
        first date has.
    sampling_rate
        Steps in a second, if there is no column of times.
    tested
        Column that says which series are for testing (true, 1 or test).
    channels
        Columns that are channels, with commas between them; ``null``: all columns of numbers that
        have no other meaning.
    layout
        In a ``wide`` table each of these columns is a client, and all clients have one channel,
        called value; in a ``long`` one it is a channel.
    """

    client: str | None = None
    label: str | None = None
    target: tuple[str, ...] = ()
    trial: str | None = None
    time: str | None = None
    time_unit: Literal["s", "ms", "us", "ns", "min", "h", "day"] = "s"
    time_format: str | None = None
    sampling_rate: Positive | None = None
    tested: str | None = None
    channels: tuple[str, ...] | None = None
    layout: Literal["long", "wide"] = "long"

    @property
    def named(self) -> dict[str, str]:
        """Columns with another meaning than a channel, by this meaning."""
        single = {key: getattr(self, key) for key in ("client", "label", "trial", "time", "tested")}
        return {key: column for key, column in single.items() if column is not None}

    def recordings(
        self, tables: "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]", notes: list[str]
    ) -> Recordings:
        """Turn tables into recordings.

        Parameters
        ----------
        tables
            Each with what its file's name says (:mod:`fedreact.io.patterns`), and its name for
            messages.
        notes
            Sentences on what was left out already.

        Raises
        ------
        UserError
            A column is missing or holds something else than it should.
        """
        if self.layout == "wide":
            long = replace(self, client="client", channels=(VALUE,), layout="long")
            notes = [*notes]
            return long.recordings(self._melted(tables, notes), notes)
        channels: tuple[str, ...] | None = None
        parts: list[Recording] = []
        left_out: set[str] = set()
        for table, fixed, where in tables:
            table = table.rename(columns=str)
            self._check(table, where)
            chosen, texts = self._channels(table, where)
            left_out |= texts
            if channels is None:
                channels = chosen
            elif missing := [name for name in channels if name not in table.columns]:
                raise UserError(
                    f"{where}: it lacks the column {missing[0]}, which other files have; name the "
                    "columns that all files have by --channels"
                )
            parts += self._parts(table, fixed, where, channels)
        if channels is None or not parts:
            raise UserError("there are no rows to read")
        if left_out:
            names = sorted(left_out)
            notes = [*notes, f"columns of text are no channels: {', '.join(names)}"]
        if self.channels is None:
            notes = [*notes, *_no_measurements(channels, parts)]
        return Recordings(channels, parts, self.target, notes=notes)

    def _melted(
        self,
        tables: "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]",
        notes: list[str],
    ) -> "Iterator[tuple[pd.DataFrame, Mapping[str, str], str]]":
        """Turn wide tables into long ones, with the columns ``client`` and ``value``.

        A note is added for columns of text, which are no clients.
        """
        import pandas as pd

        if self.client is not None:
            raise UserError("--layout wide: each column is a client, so there can be no --client")
        for table, fixed, where in tables:
            table = table.rename(columns=str)
            self._check(table, where)
            clients, texts = self._channels(table, where)
            if texts:
                notes.append(f"{where}: columns of text are no clients: {', '.join(sorted(texts))}")
            kept = [*self.named.values(), *self.target]
            if clash := {"client", VALUE} & {*kept}:
                raise UserError(
                    f"{where}: --layout wide makes a column {min(clash)}, so give the column of "
                    "this name another one"
                )
            parts = [table[kept].assign(client=name, **{VALUE: table[name]}) for name in clients]
            yield pd.concat(parts, ignore_index=True), fixed, where

    def _check(self, table: "pd.DataFrame", where: str) -> None:
        """Refuse columns that are not there, and a first line that is no header."""
        if all(is_number(str(name)) for name in table.columns):
            raise UserError(
                f"{where}: its first line holds numbers and no names of columns; name them all by "
                "--columns"
            )
        wanted = [*self.named.values(), *self.target, *(self.channels or ())]
        for name in wanted:
            if name not in table.columns:
                raise UserError(
                    f"{where}: no column {name!r}; there are {known(table.columns, name)}"
                )

    def _channels(self, table: "pd.DataFrame", where: str) -> tuple[tuple[str, ...], set[str]]:
        """Return the channels of a table, and columns of text without a meaning."""
        from pandas.api.types import is_numeric_dtype

        if self.channels is not None:
            if odd := [
                name
                for name in self.channels
                if not is_numeric_dtype(table[name]) and not holds_lists(table[name])
            ]:
                first = table[odd[0]].dropna()
                shown = f", e.g. {first.iloc[0]!r}" if len(first) else ""
                mend = " (--decimal , reads decimal commas)" if "," in shown[1:] else ""
                raise UserError(f"{where}: channel {odd[0]} holds texts{shown}{mend}")
            return self.channels, set()
        others = [
            name for name in table.columns if name not in {*self.named.values(), *self.target}
        ]
        lists = [name for name in others if holds_lists(table[name])]
        numbers = lists or [name for name in others if is_numeric_dtype(table[name])]
        if not numbers:
            raise UserError(f"{where}: no column of numbers is left to be a channel")
        return tuple(numbers), set() if lists else set(others) - set(numbers)

    def _parts(
        self,
        table: "pd.DataFrame",
        fixed: Mapping[str, str],
        where: str,
        channels: tuple[str, ...],
    ) -> Iterator[Recording]:
        """Yield the recordings of a table: of each client and trial, or of each row with lists."""
        if holds_lists(table[channels[0]]):
            for row in range(len(table)):
                yield self._series(table.iloc[row], fixed, f"{where}, row {row + 1}", channels)
            return
        table = table.reset_index(drop=True)
        seconds = self._seconds(table, where)
        keys = [column for column in (self.client, self.trial) if column is not None]
        if not keys:
            yield self._recording(table, seconds, fixed, where, channels)
            return
        for values, rows in table.groupby(keys, sort=False, dropna=True):
            names = ", ".join(f"{key} {value}" for key, value in zip(keys, values))
            times = None if seconds is None else seconds[rows.index]
            yield self._recording(rows, times, fixed, f"{where}, {names}", channels)

    def _recording(
        self,
        rows: "pd.DataFrame",
        seconds: np.ndarray | None,
        fixed: Mapping[str, str],
        where: str,
        channels: tuple[str, ...],
    ) -> Recording:
        """Make a recording of rows, each a step."""
        tested = None
        if self.tested is not None:
            marks = rows[self.tested].unique()
            if len(marks) > 1:
                raise UserError(f"{where}: column {self.tested} changes within a recording")
            tested = is_tested(text_of(marks[0]), where)
        label: np.ndarray | str | None = fixed.get("label")
        if self.label is not None:
            label = texts_of(rows[self.label])
        return Recording(
            rows[list(channels)].to_numpy(float),
            where,
            text_of(rows[self.client].iloc[0]) if self.client else fixed.get("client"),
            text_of(rows[self.trial].iloc[0]) if self.trial else fixed.get("trial"),
            seconds,
            self.sampling_rate,
            label,
            rows[list(self.target)].to_numpy(float) if self.target else None,
            is_tested(fixed["tested"], where) if "tested" in fixed else tested,
        )

    def _series(
        self, row: "pd.Series[Any]", fixed: Mapping[str, str], where: str, channels: tuple[str, ...]
    ) -> Recording:
        """Make a recording of one row whose channels are lists of steps."""
        columns = [np.asarray(row[name], float) for name in channels]
        if len({len(column) for column in columns}) > 1:
            raise UserError(f"{where}: its channels have different numbers of steps")
        named = dict(fixed) | {
            key: text_of(row[column]) for key, column in self.named.items() if key != "time"
        }
        R = len(columns[0])
        time = None
        if self.time is not None:  # when the series ends
            time = np.full(R, float(row[self.time]) * SECONDS[self.time_unit])
        target = [float(row[name]) for name in self.target]
        return Recording(
            np.stack(columns, axis=1),
            where,
            named.get("client"),
            named.get("trial"),
            time,
            self.sampling_rate,
            named.get("label"),
            np.tile(target, (R, 1)) if target else None,
            is_tested(named["tested"], where) if "tested" in named else None,
        )

    def _seconds(self, table: "pd.DataFrame", where: str) -> np.ndarray | None:
        """Return the times of all rows in seconds ``[R]``."""
        import pandas as pd
        from pandas.api.types import is_numeric_dtype

        if self.time is None:
            return None
        column = table[self.time]
        seconds: np.ndarray
        if is_numeric_dtype(column) and self.time_format is None:
            self._check_numbers(column, where)
            seconds = column.to_numpy(float) * SECONDS[self.time_unit]
        else:
            dates = self._dates(column, where)
            seconds = (dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds().to_numpy(float)
        if not np.isfinite(seconds).all():
            raise UserError(f"{where}: column {self.time} lacks a time in some rows")
        return seconds

    def _check_numbers(self, column: "pd.Series[Any]", where: str) -> None:
        """Refuse numbers such as 2026013123, which are dates and no seconds."""
        parts = column.map(text_of).str.extract(DIGITS)
        if len(column) and parts.notna().all(axis=None):
            form = "".join(FIELDS[: (len(text_of(column.iloc[0])) - 4) // 2 + 1])
            raise UserError(
                f"{where}: column {self.time} holds numbers like {text_of(column.iloc[0])}, which "
                f"look like dates: name their format by --time-format, e.g. {form!r}"
            )

    def _dates(self, column: "pd.Series[Any]", where: str) -> "pd.Series[pd.Timestamp]":
        """Read dates, all in one format: else a day could be taken for a month in some rows."""
        import pandas as pd

        formats: tuple[str | None, ...] = ("ISO8601", None, *AMERICAN)
        if self.time_format is not None:
            column, formats = column.map(text_of, na_action="ignore"), (self.time_format,)
        for form in formats:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    warnings.filterwarnings("error", "Could not infer format", UserWarning)
                    return pd.to_datetime(column, utc=True, format=form)
            except (ValueError, TypeError) as error:
                reason = str(error).splitlines()[0]
            except UserWarning:
                reason = f"e.g. {column.iloc[0]!r}"
        if form := _day_first(column):
            raise UserError(
                f"{where}: column {self.time} holds dates like {column.iloc[0]!r}, and a month "
                f"cannot come first in all of them; this format fits all: --time-format {form!r}"
            )
        raise UserError(
            f"{where}: column {self.time} holds no times, or dates of several or of an unknown "
            f"format ({reason}); name the format by --time-format, e.g. '%d/%m/%Y %H:%M'"
        )


def _day_first(column: "pd.Series[Any]") -> str | None:
    """Guess a format that begins with the day; ``None`` unless all dates fit it.

    It is not taken without asking, since other files of a folder may fit both orders.
    """
    import pandas as pd
    from pandas.tseries.api import guess_datetime_format

    form = guess_datetime_format(str(column.iloc[0]), dayfirst=True) if len(column) else None
    fits = form is not None and pd.to_datetime(column, format=form, errors="coerce").notna().all()
    return form if fits else None


def _no_measurements(channels: Sequence[str], parts: Sequence[Recording]) -> list[str]:
    """Say which channels look like times, or like numbers of people and labels."""
    values = [part.values for part in parts if len(part.values) > 1]
    if not values:
        return []
    rises = np.all([(np.diff(steps, axis=0) > 0).all(axis=0) for steps in values], axis=0)
    still = np.all([(np.diff(steps, axis=0) == 0).all(axis=0) for steps in values], axis=0)
    still &= np.ptp([steps[0] for steps in values], axis=0) > 0
    names, sentences = np.array(channels), []
    if rises.any():
        sentences.append(
            f"channels that rise at each step of every recording, as a time does: "
            f"{', '.join(names[rises])}; name it by --time, or leave it out by --channels"
        )
    if still.any():
        sentences.append(
            "channels that are the same at all steps of a recording, as the number of a person or "
            f"a label is: {', '.join(names[still])}; name it by --client, --label or --trial, or "
            "leave it out by --channels"
        )
    return sentences


def holds_lists(column: "pd.Series[Any]") -> bool:
    """Tell whether a column's entries are lists or arrays of numbers."""
    if column.dtype != object or not len(column):
        return False
    return isinstance(column.iloc[0], list | tuple | np.ndarray)


def texts_of(column: "pd.Series[Any]") -> np.ndarray:
    """Return the texts of a column, empty where nothing stands."""
    codes, values = column.factorize()
    texts = np.array([*map(text_of, values), ""])
    chosen: np.ndarray = texts[codes]  # -1, which is the last, where nothing stands
    return chosen


def text_of(value: Any) -> str:
    """Return the name of a value; a whole number has no point."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
