"""What every dataset of labelled series looks like, in memory and on disk."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.errors import UserError


@dataclass(frozen=True)
class SeriesDataset:
    """Labelled multivariate series, zero-padded to a common length.

    Attributes
    ----------
    name
        The source, e.g. ``"pendigits"``; it becomes the ``data`` column of the results.
    X
        ``float32 [N, channels, T]``; zero from each series' length on.
    lengths
        ``int64 [N]``, the observed steps of each series, 1 to T.
    y
        ``int64 [N]``, labels 0 to 9.
    writer
        ``int64 [N]``, who wrote each series, or ``None`` where the source does not say.
    """

    name: str
    X: np.ndarray
    lengths: np.ndarray
    y: np.ndarray
    writer: np.ndarray | None = None

    def __post_init__(self):
        n = len(self.X)
        if self.X.ndim != 3 or self.X.dtype != np.float32 or n == 0:
            raise UserError(
                f"dataset {self.name}: X must be float32 [N, channels, T] with N > 0, "
                f"got {self.X.dtype} {self.X.shape}"
            )
        for field in ("lengths", "y", "writer"):
            values = getattr(self, field)
            if values is None and field == "writer":
                continue
            if values.shape != (n,) or values.dtype != np.int64:
                raise UserError(
                    f"dataset {self.name}: {field} must be int64 [{n}], "
                    f"got {values.dtype} {values.shape}"
                )
        if not np.isfinite(self.X).all():
            bad = int(np.flatnonzero(~np.isfinite(self.X).all(axis=(1, 2)))[0])
            raise UserError(f"dataset {self.name}: series {bad} holds NaN or infinite values")
        if self.lengths.min() < 1 or self.lengths.max() > self.X.shape[2]:
            raise UserError(f"dataset {self.name}: lengths must lie in 1..{self.X.shape[2]}")
        padding = np.arange(self.X.shape[2]) >= self.lengths[:, None]
        if (self.X * padding[:, None]).any():
            raise UserError(f"dataset {self.name}: values after a series' end must be zero")

    def save(self, path: Path) -> None:
        """Write the dataset as npz; the same content gives the same bytes."""
        arrays = {"name": np.array(self.name), "X": self.X, "lengths": self.lengths, "y": self.y}
        if self.writer is not None:
            arrays["writer"] = self.writer
        npz.save(path, **arrays)

    @classmethod
    def load(cls, path: Path) -> "SeriesDataset":
        """Read what :meth:`save` wrote; a damaged file raises :class:`UserError`."""
        f = npz.load(path, "dataset", ["name", "X", "lengths", "y"])
        return cls(str(f["name"]), f["X"], f["lengths"], f["y"], f.get("writer"))


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
