"""A user's own series: ``data/own/<name>.npz``, with arrays that need no more than numpy to write.

====================  ===========================================================================
``X``                 numbers ``[N, channels, T]``, no NaN; any T, shorter series zero-padded at
                      their end
``y``                 ``[N]`` integers, booleans or strings are labels; ``[N, M]`` booleans say
                      which of M labels are true; floats ``[N]`` or ``[N, M]`` are targets
``client``            optional, ``[N]`` integers or strings: who holds each series; a client's
                      series are in the order of time, if they have one
``trial``             optional, ``[N]`` integers or strings: series of a trial overlap in time and
                      are never split between train and test set
``time``              optional, ``[N]`` numbers: when each series ends, in seconds from any origin
``tested``            optional, ``[N]`` booleans: series to test on, of a partition with
                      ``split: source``
``lengths``           optional, ``[N]``: observed steps of each series; without it all T
``channel_names``     optional, ``[channels]`` strings, for messages and figures
``label_names``       optional, ``[M]`` strings: the names of M labels or targets, if ``y`` is
                      booleans or floats
``previous``          optional, as ``y`` in type and shape: what was to be predicted, as it last was
                      when each series ends, one step before; its labels are among those of ``y``
====================  ===========================================================================

Long recordings of which series are windows need not be cut: instead of ``X``, give ``recording
[R, channels]`` (all recordings, one after the other), ``start [N]`` (first step of each window) and
``steps`` (T, one number).

Labels, clients and trials are numbered in sorted order; labels and clients keep their names.
Scaling is the user's: nothing is changed.
"""

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.data.dataset import SeriesDataset, windows_of
from fedreact.errors import UserError
from fedreact.task import Kind, Task

FOLDER = "own"
NAME = r"[a-z0-9-]+"
"""Lower case, digits and dashes, as it becomes part of paths."""
SERIES, WINDOWS = ("X",), ("recording", "start", "steps")
MEND = "write it again by numpy.savez, with arrays of numbers, booleans or strings, of no objects"
NAMES = ("channel_names", "label_names")
OPTIONAL = ("client", "trial", "time", "tested", "lengths", "previous", *NAMES)
TARGETS = ("y", "previous")
KINDS: dict[str, Kind] = {"i": "classification", "b": "multi-label"}
"""Kinds of tasks by the kind of the targets' type; others are regressions."""
HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
"""Readers of an array's header, by the version of its format."""


def path(data_folder: Path, name: str) -> Path:
    """Return the file of the dataset ``name``."""
    return Path(data_folder) / FOLDER / f"{name}.npz"


def names(data_folder: Path) -> list[str]:
    """List the datasets that a user has placed and that have usable names."""
    files = (Path(data_folder) / FOLDER).glob("*.npz")
    return sorted(file.stem for file in files if re.fullmatch(NAME, file.stem))


def check_name(name: str, registered: Iterable[str]) -> None:
    """Refuse a name that paths cannot have, or that a dataset of the project has.

    Raises
    ------
    UserError
        The name is refused.
    """
    if not re.fullmatch(NAME, name):
        raise UserError(f"{name}.npz: names are of a-z, 0-9 and dashes; rename it")
    if name in registered:
        raise UserError(f"{name}.npz: {name} is a dataset of the project's; rename yours")


def misnamed(data_folder: Path) -> list[str]:
    """List the files that a user has placed and whose names cannot be used."""
    files = (Path(data_folder) / FOLDER).glob("*.npz")
    return sorted(file.name for file in files if not re.fullmatch(NAME, file.stem))


def read(file: Path, name: str) -> SeriesDataset:
    """Read a user's dataset.

    Raises
    ------
    UserError
        One line: what is wrong with which array, or with the file.
    """
    arrays = npz.load(file, "dataset of yours", ["y"], MEND)
    try:
        return dataset_of(arrays, name)
    except UserError as error:
        raise UserError(f"{error} [in {file}]") from error


def task_of(file: Path, name: str) -> Task:
    """Return the task of a user's dataset, from its targets and the headers of its arrays alone.

    Raises
    ------
    UserError
        As of :func:`read`, where the headers are not enough.
    """
    shapes = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                with archive.open(member) as content:
                    read_header = HEADERS[np.lib.format.read_magic(content)]
                    shapes[member.removesuffix(".npy")] = read_header(content)[0]
        present = [key for key in ("y", "steps") if key in shapes]
        small: dict[str, np.ndarray] = {key: npz.load_one(file, key) for key in present}
        if "recording" in shapes:
            channels, steps = shapes["recording"][-1], int(small["steps"])
        else:
            channels, steps = shapes["X"][1:]
        targets = _targets(small, name)
        kind = KINDS.get(targets.dtype.kind, "regression")
        outputs = int(targets.max()) + 1 if targets.dtype.kind == "i" else targets[0].size
        return Task(kind, outputs, int(channels), int(steps))
    except Exception:  # damaged bytes can fail anywhere; reading it whole says in one line where
        return read(file, name).task


def clients_of(file: Path, name: str) -> int | None:
    """Count the clients that a user's dataset names; ``None`` if it names none.

    Raises
    ------
    UserError
        As of :func:`read`, where the file is damaged.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if "client.npy" not in archive.namelist():
                return None
        return len(np.unique(npz.load_one(file, "client")))
    except Exception:  # damaged bytes can fail anywhere; reading it whole says in one line where
        owner = read(file, name).owner
        return None if owner is None else len(np.unique(owner))


def dataset_of(arrays: dict[str, np.ndarray], name: str) -> SeriesDataset:
    """Check a user's arrays, and make them those of a dataset.

    Raises
    ------
    UserError
        One line: what is wrong with which array.
    """
    windows = "recording" in arrays
    needed = ("y", *(WINDOWS if windows else SERIES))
    if missing := [key for key in needed if key not in arrays]:
        raise UserError(f"dataset {name}: it lacks {missing[0]}")
    if unknown := sorted(set(arrays) - {*needed, *OPTIONAL}):
        known = ", ".join([*needed[1:], "y", *OPTIONAL])
        raise UserError(f"dataset {name}: unknown array {', '.join(unknown)}; known: {known}")
    values = arrays["recording" if windows else "X"]
    shape = "[R, channels]" if windows else "[N, channels, T]"
    if values.dtype.kind not in "fiu" or values.ndim != (2 if windows else 3) or values.size == 0:
        raise UserError(
            f"dataset {name}: {'recording' if windows else 'X'} must be numbers {shape}, "
            f"got {values.dtype} {values.shape}"
        )
    with np.errstate(over="ignore"):  # numbers too large become infinite, and are refused
        values = values.astype(np.float32)
    X = windows_of(arrays | {"recording": values}) if windows else values
    for key in sorted(set(arrays) - {"X", *WINDOWS, *NAMES}):
        if arrays[key].shape[:1] != (len(X),) or (key not in TARGETS and arrays[key].ndim != 1):
            raise UserError(
                f"dataset {name}: {key} must be [{len(X)}], one for each series, "
                f"got {arrays[key].shape}"
            )
    y = _targets(arrays, name)
    lengths = arrays.get("lengths", np.full(len(X), X.shape[1] if windows else X.shape[2]))
    if lengths.dtype.kind not in "iu":
        raise UserError(f"dataset {name}: lengths must be integers, got {lengths.dtype}")
    time = arrays.get("time")
    if time is not None and time.dtype.kind not in "fiu":
        raise UserError(f"dataset {name}: time must be numbers, got {time.dtype}")
    tested = arrays.get("tested")
    if tested is not None and tested.dtype != bool:
        raise UserError(f"dataset {name}: tested must be booleans, got {tested.dtype}")
    return SeriesDataset(
        name=name,
        X=X,
        lengths=lengths.astype(np.int64),
        y=y,
        owner=_numbered(arrays["client"], "client", name) if "client" in arrays else None,
        trial=_numbered(arrays["trial"], "trial", name) if "trial" in arrays else None,
        time=None if time is None else time.astype(np.float64),
        tested=tested,
        previous=_previous(arrays, y, name),
        owner_names=_names(arrays["client"]) if "client" in arrays else None,
        label_names=arrays.get("label_names", _names(arrays["y"]) if y.dtype == np.int64 else None),
        channel_names=arrays.get("channel_names"),
    )


def _targets(arrays: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Return a user's ``y`` in the types of a dataset."""
    y = arrays["y"]
    if y.dtype.kind == "f" and y.ndim in (1, 2) and y.size:
        with np.errstate(over="ignore"):
            return y.astype(np.float32)
    if y.ndim == 2 and y.size:
        if y.dtype.kind not in "b":
            raise UserError(
                f"dataset {name}: y [N, M] must be booleans (labels) or floats (targets), "
                f"got {y.dtype}"
            )
        return y
    if y.ndim != 1:
        raise UserError(f"dataset {name}: y must be [N] or [N, M], got {y.shape}")
    y = _numbered(y, "y", name)
    if len(y) == 0 or y.max() == 0:
        raise UserError(f"dataset {name}: y holds one label only; classification needs two or more")
    return y


def _previous(arrays: dict[str, np.ndarray], y: np.ndarray, name: str) -> np.ndarray | None:
    """Return a user's ``previous`` in the type of ``y``, its labels numbered as those of ``y``."""
    previous = arrays.get("previous")
    if previous is None:
        return None
    if y.dtype != np.int64:
        floats = previous.dtype.kind == y.dtype.kind == "f"
        with np.errstate(over="ignore"):
            return previous.astype(np.float32) if floats else previous
    labels = np.unique(arrays["y"])
    if previous.dtype.kind not in "biuUS" or not np.isin(previous, labels).all():
        raise UserError(f"dataset {name}: previous must hold labels of y, and holds others")
    return np.searchsorted(labels, previous).astype(np.int64)


def _names(values: np.ndarray) -> np.ndarray | None:
    """Return the names of what :func:`_numbered` numbers; ``None`` if they are these numbers."""
    names = np.unique(values)
    if names.dtype.kind in "iu" and (names == np.arange(len(names))).all():
        return None
    return names.astype(str)


def _numbered(values: np.ndarray, key: str, name: str) -> np.ndarray:
    """Number the integers or strings of an array from 0, in sorted order."""
    if values.dtype.kind not in "biuUS":
        wanted = "integers or strings"
        if key == "y":
            wanted = "labels (integers or strings) or targets (floats)"
        raise UserError(f"dataset {name}: {key} must be {wanted}, got {values.dtype}")
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
