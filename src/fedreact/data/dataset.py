"""The form of every dataset of labelled series, in memory and on disk."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import NoReturn

import numpy as np

from fedreact import npz
from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.rng import generator
from fedreact.task import Kind, Task

TARGETS = {"int64": (1,), "bool": (2,), "float32": (1, 2)}
"""Types of ``y``, and how many dimensions it may have."""
NAMES = ("owner_names", "label_names", "channel_names")
"""Fields that name owners, labels and channels; they have no entry for each series."""
MOST_CHANNELS = 5
"""Channels that an error names."""


@dataclass(frozen=True)
class SeriesDataset:
    """Multivariate series with the targets of each, zero-padded to a common length.

    Attributes
    ----------
    name
        The source, e.g. ``"pendigits"``; it becomes the ``data`` column of the results.
    X
        ``float32 [N, channels, T]``, zero from each series' length on; or windows of recordings,
        all of full length.
    lengths
        ``int64 [N]``, the observed steps of each series, 1 to T.
    y
        ``int64 [N]``, labels from 0; ``bool [N, M]``, which of M labels are true; or ``float32
        [N]`` or ``[N, M]``, targets of a regression.
    owner
        ``int64 [N]``: who or what each series is of (writer, person, vehicle), or ``None`` where
        the source does not say. Series of an owner are in the order of time, if they have one.
    trial
        ``int64 [N]``: series of one trial overlap in time, so that they belong together in the
        train or in the test set; ``None`` if every series is a trial of its own.
    time
        ``float64 [N]``: seconds at which each series ends, from any origin; ``None`` if not known.
    tested
        ``bool [N]``: series that the source itself keeps for testing; ``None`` if it does not say.
    previous
        As ``y``, in type and shape: what was to be predicted, as it last was when each series ends,
        one step before; ``None`` if there is no such thing.
    owner_names, label_names, channel_names
        Strings: the names of owners, of labels (or targets) and of channels, by their numbers;
        ``None`` where they have numbers alone.
    """

    name: str
    X: np.ndarray | Windows
    lengths: np.ndarray
    y: np.ndarray
    owner: np.ndarray | None = None
    trial: np.ndarray | None = None
    time: np.ndarray | None = None
    tested: np.ndarray | None = None
    previous: np.ndarray | None = None
    owner_names: np.ndarray | None = None
    label_names: np.ndarray | None = None
    channel_names: np.ndarray | None = None

    def __post_init__(self) -> None:
        self._check_series()
        self._check_targets()
        dtypes = {
            "lengths": "int64",
            "owner": "int64",
            "trial": "int64",
            "time": "float64",
            "tested": "bool",
        }
        for field, dtype in dtypes.items():
            values = getattr(self, field)
            if values is None and field != "lengths":
                continue
            if values.shape != (len(self.X),) or values.dtype.name != dtype:
                self._refuse(
                    f"{field} must be {dtype} [{len(self.X)}], got {values.dtype} {values.shape}"
                )
        if self.time is not None and not np.isfinite(self.time).all():
            self._refuse(f"the time of series {_first(~np.isfinite(self.time))} is not finite")
        steps = self.task.steps
        if self.lengths.min() < 1 or self.lengths.max() > steps:
            turned = steps < self.lengths.max() <= self.task.channels
            self._refuse(
                f"lengths must lie in 1..{steps}, got {self.lengths.min()} to {self.lengths.max()}"
                + ("; X is [N, steps, channels] and should be [N, channels, T]" if turned else "")
            )
        if isinstance(self.X, Windows):
            if self.lengths.min() < steps:
                self._refuse("windows of recordings have full length")
        elif (self.X * (np.arange(steps) >= self.lengths[:, None])[:, None]).any():
            self._refuse("values after a series' end must be zero")
        self._check_names()

    def _check_names(self) -> None:
        """Refuse names that are no strings, or do not name all that there is."""
        needed = {
            "owner_names": 0 if self.owner is None else int(self.owner.max()) + 1,
            "label_names": self.task.outputs,
            "channel_names": self.task.channels,
        }
        for field, number in needed.items():
            names = getattr(self, field)
            if names is None:
                continue
            fits = names.ndim == 1 and names.dtype.kind == "U" and len(names) >= number
            if not fits or (field == "channel_names" and len(names) != number):
                self._refuse(f"{field} must be {number} strings, got {names.dtype} {names.shape}")

    def _check_series(self) -> None:
        X = self.X
        if isinstance(X, Windows):
            if X.values.ndim != 2 or X.values.dtype != np.float32 or len(X) == 0:
                self._refuse("recordings must be float32 [R, channels], with a window or more")
            if not np.isfinite(X.values).all():
                bad = ~np.isfinite(X.values)
                self._refuse(
                    f"step {_first(bad.any(1))} of the recordings is NaN or infinite"
                    f"{self._of_channels(bad.sum(0))}"
                )
            if X.starts.min() < 0 or X.starts.max() > len(X.values) - X.length:
                self._refuse("a window reaches beyond the recordings")
            return
        if X.ndim != 3 or X.dtype != np.float32 or len(X) == 0:
            self._refuse(f"X must be float32 [N, channels, T] with N > 0, got {X.dtype} {X.shape}")
        if not np.isfinite(X).all():
            bad = ~np.isfinite(X)
            hit = bad.any(axis=(1, 2))
            self._refuse(
                f"series {_first(hit)} holds NaN or infinite values ({hit.sum()} of {len(X)} do)"
                f"{self._of_channels(bad.sum(axis=(0, 2)))}"
            )

    def _of_channels(self, counts: np.ndarray) -> str:
        """Say how many values of which channels are missing, and what to do about it."""
        most = np.argsort(-counts, kind="stable")[:MOST_CHANNELS]
        named = [f"{self.channel_name(int(c))}: {counts[c]}" for c in most if counts[c]]
        more = int((counts > 0).sum()) - len(named)
        further = f", and {more} more channels" if more else ""
        return (
            f"; by channel: {', '.join(named)}{further}. Leave such series out or fill their gaps, "
            "as fedreact import --nan does"
        )

    def _check_targets(self) -> None:
        y, n = self.y, len(self.X)
        if len(y) != n or y.ndim not in TARGETS.get(y.dtype.name, ()):
            self._refuse(
                f"y must be int64 [{n}], bool [{n}, labels] or float32 [{n}] or [{n}, targets], "
                f"got {y.dtype} {y.shape}"
            )
        self._check_values(y, "target")
        previous = self.previous
        if previous is None:
            return
        if previous.dtype != y.dtype or previous.shape != y.shape:
            self._refuse(
                f"previous must be as y, {y.dtype} {list(y.shape)}, got {previous.dtype} "
                f"{list(previous.shape)}"
            )
        self._check_values(previous, "previous target")

    def _check_values(self, values: np.ndarray, what: str) -> None:
        n = len(values)
        if not np.isfinite(values).all():
            bad = _first(~np.isfinite(values.reshape(n, -1)).all(1))
            self._refuse(f"the {what} of series {bad} is NaN or infinite")
        if values.dtype == np.int64 and values.min() < 0:
            self._refuse(f"labels must be 0 or more, got {values.min()}")

    def _refuse(self, reason: str) -> NoReturn:
        raise UserError(f"dataset {self.name}: {reason}")

    @property
    def task(self) -> Task:
        """Kind and number of the targets, and shape of the series."""
        if isinstance(self.X, Windows):
            _, steps, channels = self.X.shape
        else:
            _, channels, steps = self.X.shape
        if self.y.dtype == np.int64:
            return Task("classification", int(self.y.max()) + 1, channels, steps)
        kind: Kind = "multi-label" if self.y.dtype == bool else "regression"
        return Task(kind, 1 if self.y.ndim == 1 else self.y.shape[1], channels, steps)

    @property
    def steps_first(self) -> np.ndarray | Windows:
        """The series as training reads them, ``[N, T, channels]``."""
        if isinstance(self.X, Windows):
            return self.X
        return np.ascontiguousarray(self.X.transpose(0, 2, 1))

    @property
    def padded_first(self) -> np.ndarray | Windows:
        """The series as :attr:`steps_first` has them, but with padding before shorter ones."""
        X, (_, steps, _) = self.steps_first, self.steps_first.shape
        if isinstance(X, Windows) or (self.lengths == steps).all():
            return X
        shifted = np.arange(steps) - (steps - self.lengths)[:, None]  # below 0: padding
        return X[np.arange(len(X))[:, None], shifted]  # and -1, -2, ... are padding at the end

    def owner_name(self, number: int) -> str:
        """Return the name of an owner; its number, if it has no name."""
        return _name(self.owner_names, number)

    def label_name(self, number: int) -> str:
        """Return the name of a label or target; its number, if it has no name."""
        return _name(self.label_names, number)

    def channel_name(self, number: int) -> str:
        """Return the name of a channel; its number, if it has no name."""
        return _name(self.channel_names, number)

    def take(self, indices: np.ndarray) -> "SeriesDataset":
        """Return the dataset of these series alone."""
        arrays = {name: values[indices] for name, values in self._arrays().items()}
        if isinstance(self.X, Windows):
            X = Windows(self.X.values, self.X.starts[indices], self.X.length)
        else:
            X = self.X[indices]
        return replace(self, X=X, **arrays)

    def save(self, path: Path) -> None:
        """Write the dataset as npz; the same content gives the same bytes."""
        arrays, X = self._arrays(), self.X
        if isinstance(X, Windows):
            arrays |= {"recording": X.values, "start": X.starts, "steps": np.array(X.length)}
        else:
            arrays = {"X": X} | arrays
        names = {name: getattr(self, name) for name in NAMES}
        arrays |= {name: values for name, values in names.items() if values is not None}
        npz.save(path, name=np.array(self.name), **arrays)

    def _arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays beside ``X`` that are known, with an entry for each series."""
        of_series = [field.name for field in fields(self)[2:] if field.name not in NAMES]
        arrays = {name: getattr(self, name) for name in of_series}
        return {name: values for name, values in arrays.items() if values is not None}

    @classmethod
    def load(cls, path: Path) -> "SeriesDataset":
        """Read what :meth:`save` wrote; a damaged file raises :class:`UserError`."""
        arrays = npz.load(path, "dataset", ["name", "lengths", "y"])
        try:
            X = windows_of(arrays) if "recording" in arrays else arrays.get("X")
        except UserError as error:
            raise UserError(f"{path}: {error}") from None
        if X is None:
            raise UserError(f"{path}: not a dataset, it lacks X")
        return cls(
            name=str(arrays["name"]),
            X=X,
            lengths=arrays["lengths"],
            y=arrays["y"],
            owner=arrays.get("owner"),
            trial=arrays.get("trial"),
            time=arrays.get("time"),
            tested=arrays.get("tested"),
            previous=arrays.get("previous"),
            **{name: arrays.get(name) for name in NAMES},
        )


def windows_of(arrays: dict[str, np.ndarray]) -> Windows:
    """Return the windows that arrays of an npz file describe.

    The arrays are ``recording [R, channels]``, ``start [N]`` and ``steps``.

    Raises
    ------
    UserError
        One is missing, or is no such array.
    """
    lacking = [name for name in ("recording", "start", "steps") if name not in arrays]
    if lacking:
        raise UserError(f"windows of recordings need {lacking[0]}")
    recording, start, steps = (arrays[name] for name in ("recording", "start", "steps"))
    if start.dtype.kind not in "iu" or start.ndim != 1:
        raise UserError(f"start must be integers [N], got {start.dtype} {start.shape}")
    if steps.dtype.kind not in "iu" or steps.ndim != 0 or not 1 <= steps <= len(recording):
        raise UserError(
            "steps must be one integer, the length of a window: 1 or more, no more than there are"
        )
    return Windows(recording, start.astype(np.int64), int(steps))


def _name(names: np.ndarray | None, number: int) -> str:
    """Return the name of a number, or the number where there are no names."""
    return str(number) if names is None else str(names[number])


def _first(mask: np.ndarray) -> int:
    """Return the index of the first element that is true."""
    return int(np.flatnonzero(mask)[0])


def pad(series: list[np.ndarray], n_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Zero-pad series ``[channels, length]`` at their end.

    Returns
    -------
    X
        ``float32 [N, channels, n_steps]``.
    lengths
        ``int64 [N]``.
    """
    X = np.zeros((len(series), series[0].shape[0], n_steps), dtype=np.float32)
    lengths = np.array([s.shape[1] for s in series], dtype=np.int64)
    for row, s in zip(X, series):
        row[:, : s.shape[1]] = s
    return X, lengths


def thin_out(data: SeriesDataset, per_label: int | None) -> SeriesDataset:
    """Keep ``per_label`` random series of each label, in their order; all if it is ``None``."""
    if per_label is None:
        return data
    rng = generator(0, "thin out")
    members = (rng.permutation(np.flatnonzero(data.y == label)) for label in np.unique(data.y))
    return data.take(np.sort(np.concatenate([m[:per_label] for m in members])))
