"""Numbers that people drew in the air before a Kinect, in 3-D (University of Sheffield).

B. Alwaely, C. Abhayaratne (2019), "Graph Spectral Domain Feature Learning With Application to
in-Air Hand-Drawn Number and Shape Recognition", IEEE Access 7:159661-159673,
https://doi.org/10.1109/ACCESS.2019.2950643; files at
https://orda.shef.ac.uk/articles/dataset/7381472: 5,000 numbers, 500 of each of 0 to 9. By its
readme, ``Data.mat`` has matrices x, y and z with a row a number, zeros after its end, as recorded,
and the labels. This project has not seen the file: it takes the only other field with a value for
each row as the labels, wherever the file has these fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset, pad, thin_out
from fedreact.data.normalise import scale_to_unit_box
from fedreact.data.registry import DatasetEntry
from fedreact.data.resample import shorten
from fedreact.data.sources.contract import Source
from fedreact.errors import UserError
from fedreact.options import Count

NAME = "sheffield-air"
STEPS = 100
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class SheffieldAir(Source):
    """Numbers in 3-D, whose writers are not known.

    Attributes
    ----------
    per_label
        Numbers of each label, drawn evenly; ``null``: all.
    """

    per_label: Count | None = None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read the file, and keep part of it."""
        return thin_out(read(raw["data"]), self.per_label)


def read(path: Path) -> SeriesDataset:
    """Read ``Data.mat``: ``X [N, 3, 100]`` in the unit box, and labels 0 to 9.

    A number of more than 100 steps is resampled to 100.

    Raises
    ------
    UserError
        It is no MATLAB file of version 5, or has no such fields.
    """
    fields = dict(_fields(_load(path)))
    if missing := [axis for axis in AXES if axis not in fields]:
        raise UserError(f"{path}: there is no field {missing[0]}; {_has(fields)}")
    alike = len({fields[axis].shape for axis in AXES}) == 1
    paths: np.ndarray = np.stack([fields[axis] for axis in AXES]) if alike else np.zeros(0)
    if paths.ndim != 3 or not np.isfinite(paths).all():
        raise UserError(f"{path}: x, y and z are not matrices of the same size, of finite numbers")
    y = _labels(fields, paths.shape[1], path)
    lengths = [
        int(np.flatnonzero(one.any(axis=0)).max(initial=0)) + 1 for one in paths.swapaxes(0, 1)
    ]
    series = [shorten(paths[:, i, :n], STEPS) for i, n in enumerate(lengths)]
    X, kept = pad(series, STEPS)
    return SeriesDataset(NAME, scale_to_unit_box(X, kept, [0, 1, 2]), kept, y)


def _load(path: Path) -> Mapping[str, object]:
    """Load the file."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        content: Mapping[str, object] = loadmat(path, simplify_cells=True)
    except (MatReadError, NotImplementedError, ValueError, OSError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{path}: no MATLAB file that can be read ({reason})") from None
    return content


def _fields(content: Mapping[str, object]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the arrays of numbers of the file and of its structures, by their names."""
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from _fields(value)
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
            yield name.lower(), value.astype(np.float64)


def _labels(fields: Mapping[str, np.ndarray], n: int, path: Path) -> np.ndarray:
    """Return the labels: of the fields beside x, y and z, the one with ``n`` digits."""
    others = {name: value for name, value in fields.items() if name not in AXES}
    digits = [
        value.ravel()
        for value in others.values()
        if value.size == n and set(value.flat) <= set(range(10))
    ]
    if len(digits) != 1:
        raise UserError(
            f"{path}: {len(digits)} fields have a label 0 to 9 for each of {n} numbers, "
            f"wanted one; {_has(fields)}"
        )
    return digits[0].astype(np.int64)


def _has(fields: Mapping[str, np.ndarray]) -> str:
    shapes = [f"{name} {list(value.shape)}" for name, value in fields.items()]
    return f"it has {', '.join(shapes) or 'no arrays of numbers'}"


SOURCE = SheffieldAir
