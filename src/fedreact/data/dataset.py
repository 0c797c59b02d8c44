"""What every dataset of labelled series looks like, in memory and on disk."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.errors import UserError


@dataclass(frozen=True)
class SeriesDataset:
    """Multivariate series with a label or a target each, zero-padded to a common length.

    Attributes
    ----------
    name
        The source, e.g. ``"pendigits"``; it becomes the ``data`` column of the results.
    X
        ``float32 [N, channels, T]``; zero from each series' length on.
    lengths
        ``int64 [N]``, the observed steps of each series, 1 to T.
    y
        ``int64 [N]``, labels from 0, or ``float32 [N]``, targets of a regression.
    subject
        ``int64 [N]``: who or what each series is of (writer, person, vehicle), or ``None`` where
        the source does not say. Series of a subject are in the order of time, if they have one.
    trial
        ``int64 [N]``: series of one trial overlap in time, so that they belong together in the
        train or in the test set; ``None`` if every series is a trial of its own.
    """

    name: str
    X: np.ndarray
    lengths: np.ndarray
    y: np.ndarray
    subject: np.ndarray | None = None
    trial: np.ndarray | None = None

    def __post_init__(self):
        n = len(self.X)
        if self.X.ndim != 3 or self.X.dtype != np.float32 or n == 0:
            raise UserError(
                f"dataset {self.name}: X must be float32 [N, channels, T] with N > 0, "
                f"got {self.X.dtype} {self.X.shape}"
            )
        for field in ("lengths", "y", "subject", "trial"):
            values = getattr(self, field)
            if values is None and field in ("subject", "trial"):
                continue
            allowed = ("int64", "float32") if field == "y" else ("int64",)
            if values.shape != (n,) or values.dtype.name not in allowed:
                raise UserError(
                    f"dataset {self.name}: {field} must be {' or '.join(allowed)} [{n}], "
                    f"got {values.dtype} {values.shape}"
                )
        if not np.isfinite(self.X).all():
            bad = int(np.flatnonzero(~np.isfinite(self.X).all(axis=(1, 2)))[0])
            raise UserError(f"dataset {self.name}: series {bad} holds NaN or infinite values")
        if not np.isfinite(self.y).all():
            bad = int(np.flatnonzero(~np.isfinite(self.y))[0])
            raise UserError(f"dataset {self.name}: the target of series {bad} is NaN or infinite")
        if not self.regression and self.y.min() < 0:
            raise UserError(f"dataset {self.name}: labels must be 0 or more, got {self.y.min()}")
        if self.lengths.min() < 1 or self.lengths.max() > self.X.shape[2]:
            raise UserError(f"dataset {self.name}: lengths must lie in 1..{self.X.shape[2]}")
        padding = np.arange(self.X.shape[2]) >= self.lengths[:, None]
        if (self.X * padding[:, None]).any():
            raise UserError(f"dataset {self.name}: values after a series' end must be zero")

    @property
    def regression(self) -> bool:
        """Whether ``y`` holds targets rather than labels."""
        return self.y.dtype == np.float32

    def take(self, which: np.ndarray) -> "SeriesDataset":
        """Return the dataset of these series alone."""
        arrays = {name: values[which] for name, values in self._arrays().items()}
        return replace(self, **arrays)

    def save(self, path: Path) -> None:
        """Write the dataset as npz; the same content gives the same bytes."""
        npz.save(path, name=np.array(self.name), **self._arrays())

    def _arrays(self):
        given = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        return {name: values for name, values in given.items() if values is not None}

    @classmethod
    def load(cls, path: Path) -> "SeriesDataset":
        """Read what :meth:`save` wrote; a damaged file raises :class:`UserError`."""
        f = npz.load(path, "dataset", ["name", "X", "lengths", "y"])
        return cls(str(f["name"]), *(f.get(field.name) for field in fields(cls)[1:]))


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
