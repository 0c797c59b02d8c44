"""RTD, air-written digits before a depth camera.

Source: M. S. Alam, K.-C. Kwon, M. A. Alam, M. Y. Abbass, S. M. Imtiaz, N. Kim (2020),
"Trajectory-Based Air-Writing Recognition Using Deep Neural Network and Depth Sensor", Sensors
20(2):376, https://doi.org/10.3390/s20020376; files at https://shahinur.com/en/rtd/: 20,000 digits,
2,000 of each, of at most 100 steps. The download also has ``featuresTest`` and ``labelsTest``,
which the Fed-REACT papers do not use.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fedreact.data.dataset import SeriesDataset, pad, thin_out
from fedreact.data.files import check_content
from fedreact.data.normalise import scale_to_unit_box
from fedreact.data.registry import DatasetEntry
from fedreact.data.sources.contract import Source
from fedreact.data.unpickle import load
from fedreact.errors import UserError
from fedreact.options import Count

log = logging.getLogger("fedreact")

NAME = "rtd"
MAX_STEPS = 100
FORMS = {
    3: "the steps of `features` are triples (x, y, z)",
    2: "the steps of `features` are pairs (x, y), so the digits have no depth",
}
"""What is said of a copy, by the numbers of a step (``rtd-form`` in the ledger of Fed-REACT)."""


def read(features: bytes, labels: bytes, *, sha256: str | None = None) -> SeriesDataset:
    """Read the two pickle files of RTD.

    ``features`` holds a flat sequence for each digit, as a list of sequences or as one array with
    zeros after each digit's end. The dataset's page gives it as x0, y0, z0, x1, ...; readers of
    others (github.com/tpaof/Air-write, airwrite/datasets.py) take it as x0, y0, x1, ... without
    depth. Whichever of the two fits the numbers is used.
    Zeros at the end of a sequence are padding; a sequence of zeros only is one step at the origin.

    Parameters
    ----------
    features, labels
        The files' content; labels are one-hot over the ten digits, or integers 0 to 9. The bytes
        are not trusted, see :mod:`fedreact.data.unpickle`.
    sha256
        The expected :func:`~fedreact.data.files.content_sha256`, if one is known.

    Returns
    -------
    SeriesDataset
        ``X [N, 3 or 2, 100]``: x, y and, where recorded, z, in the unit box (see
        :func:`~fedreact.data.normalise.scale_to_unit_box`). No writer is given.

    Raises
    ------
    UserError
        If a file is damaged, holds anything but numbers, or does not fit this description.
    """
    rows = _rows(load(features, "features"))
    n_channels = _n_channels(rows)
    # Steps up to the last that is not all zero.
    series = [r[: -(-_observed(r) // n_channels) * n_channels] for r in rows]
    series = [s.reshape(-1, n_channels).T for s in series]
    y = _labels(load(labels, "labels"))
    if len(y) != len(series):
        raise UserError(f"rtd: {len(series)} samples in features, but {len(y)} in labels")
    check_content(NAME, sha256, series, y)
    X, lengths = pad(series, MAX_STEPS)
    X = scale_to_unit_box(X, lengths, list(range(n_channels)))
    return SeriesDataset(NAME, X, lengths, y)


def _rows(features: object) -> list[np.ndarray]:
    """Return the flat sequence of each sample."""
    table = isinstance(features, np.ndarray) and features.ndim == 2
    rows = list(features) if isinstance(features, np.ndarray) and table else features
    if not isinstance(rows, list) or not rows:
        raise UserError(f"features: wanted a sequence for each sample, got {_describe(features)}")
    return [_numbers(row, f"features: sample {i}") for i, row in enumerate(rows)]


def _numbers(row: object, where: str) -> np.ndarray:
    """Return a flat sequence of numbers as ``float64 [n]``."""
    if isinstance(row, list | tuple) and row and set(map(type, row)) <= {int, float, bool}:
        try:
            row = np.array(row, dtype=np.float64)
        except OverflowError:
            raise UserError(f"{where} holds a number too large") from None
    if not isinstance(row, np.ndarray) or row.ndim != 1 or len(row) == 0:
        raise UserError(f"{where}: wanted a flat sequence of numbers, got {_describe(row)}")
    row = row.astype(np.float64)
    if not (np.abs(row) <= np.finfo(np.float32).max).all():
        raise UserError(f"{where} holds NaN, an infinite or a too large number")
    return row


def _describe(value: object) -> str:
    """Say in a few words what a value is, for errors."""
    if isinstance(value, np.ndarray):
        return f"an array {list(value.shape)}"
    if isinstance(value, list | tuple):
        inner = sorted({type(v).__name__ for v in value})
        return f"{len(value)} values of type {', '.join(inner)}" if inner else "an empty sequence"
    return type(value).__name__


def _observed(row: np.ndarray) -> int:
    """Count the numbers of a sequence without the zeros at its end; one at least."""
    nonzero = np.flatnonzero(row)
    return int(nonzero[-1]) + 1 if nonzero.size else 1


def _n_channels(rows: list[np.ndarray]) -> int:
    """Return whether the flat sequences hold 3 or 2 numbers a step."""
    widths = np.array([len(r) for r in rows])
    observed = np.array([_observed(r) for r in rows])
    fits = {c: (widths % c == 0) & (observed <= c * MAX_STEPS) for c in (3, 2)}
    fitting = [c for c in fits if fits[c].all()]
    if not fitting:
        bad = int(np.argmin(fits[3]))
        raise UserError(
            f"features: sample {bad} holds {widths[bad]} numbers, {observed[bad]} without the "
            f"zeros at its end; wanted x, y, z for each of at most {MAX_STEPS} steps"
        )
    # Both may fit. A path moves little from one step to the next, whereas a wrong count compares
    # x with y. Where nothing tells them apart, min() keeps the first, the documented 3.
    return min(fitting, key=lambda c: _mean_move(rows, observed, c))


def _mean_move(rows: list[np.ndarray], observed: np.ndarray, n_channels: int) -> float:
    """Return the mean absolute change of a coordinate from step to step."""
    moves = [r[n_channels:n] - r[: n - n_channels] for r, n in zip(rows, observed) if n > 3]
    return float(np.abs(np.concatenate(moves)).mean()) if moves else 0.0


def _labels(labels: object) -> np.ndarray:
    """Return labels, one-hot or not, as ``int64 [N]``."""
    if isinstance(labels, list) and not set(map(type, labels)) <= {int, float, bool}:
        rows = [_numbers(row, f"labels: sample {i}") for i, row in enumerate(labels)]
        if len({len(r) for r in rows}) > 1:
            raise UserError("labels: samples differ in length")
        values = np.stack(rows)
    else:
        values = np.asarray(labels)
    known = isinstance(labels, list | np.ndarray)
    if not known or (values.ndim != 1 and values.shape[1:] != (10,)):
        raise UserError(
            f"labels: wanted one-hot rows of 10 or integers 0 to 9, got {_describe(labels)}"
        )
    if values.ndim == 2:
        good = ((values == 0) | (values == 1)).all(axis=1) & (values.sum(axis=1) == 1)
        y = values.argmax(axis=1)
    else:
        good = np.isin(values, np.arange(10))
        y = values
    if not good.all():
        bad = int(np.argmin(good))
        raise UserError(f"labels: sample {bad} is neither one-hot over 10 digits nor 0 to 9")
    return y.astype(np.int64)


def check_whole(data: SeriesDataset) -> None:
    """Refuse files that look like RTD but are not, since no checksum of RTD is known.

    The paper counts 2,000 samples of each digit; a few less are let pass.

    Raises
    ------
    UserError
        There are fewer than 1,900 samples of a digit.
    """
    fewest = np.bincount(data.y, minlength=10).min()
    if fewest < 1900:
        raise UserError(
            f"rtd: {len(data.y)} samples, of one digit only {fewest}; RTD has 2,000 of each, so "
            "these are other files or parts of them"
        )


@dataclass(frozen=True)
class RTD(Source):
    """Air-written digits.

    Attributes
    ----------
    per_label
        Series per digit, drawn at random; ``null``: all.
    """

    per_label: Count | None = None

    def read(self, raw: dict[str, Path], entry: DatasetEntry) -> SeriesDataset:
        """Read both files, which must be whole."""
        features, labels = (raw[name].read_bytes() for name in ("features", "labels"))
        data = read(features, labels, sha256=entry.content_sha256)
        check_whole(data)
        log.info("rtd: %s", FORMS[data.task.channels])
        return thin_out(data, self.per_label)


SOURCE = RTD
