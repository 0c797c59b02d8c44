"""A user's own series: ``data/own/<name>.npz``, with arrays that need no more than numpy to write.

====================  ===========================================================================
``X``                 numbers ``[N, channels, T]``, no NaN; any T, shorter series zero-padded at
                      their end
``y``                 ``[N]``: integers, booleans or strings are labels, floats are targets
``client``            optional, ``[N]`` integers or strings: who holds each series; a client's
                      series are in the order of time, if they have one
``trial``             optional, ``[N]`` integers or strings: series of a trial overlap in time and
                      are never split between train and test set
``lengths``           optional, ``[N]``: observed steps of each series; without it all T
====================  ===========================================================================

Labels, clients and trials are numbered in sorted order. Scaling is the user's: nothing is changed.
"""

import re
from pathlib import Path

import numpy as np

from fedreact import npz
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError

FOLDER = "own"
NAME = r"(?!(sumo|eeg|digits|auto)$)(?!sumo-ev)[a-z0-9-]+"
"""Lower case, digits and dashes, as it becomes part of paths; and nothing that is taken."""
NEEDED, OPTIONAL = ("X", "y"), ("client", "trial", "lengths")


def path(data_folder: Path, name: str) -> Path:
    """File of the dataset ``name``."""
    return Path(data_folder) / FOLDER / f"{name}.npz"


def names(data_folder: Path) -> list[str]:
    """Names of the datasets that a user has placed; others than these letters are no names."""
    files = (Path(data_folder) / FOLDER).glob("*.npz")
    return sorted(file.stem for file in files if re.fullmatch(NAME, file.stem))


def read(file: Path, name: str) -> SeriesDataset:
    """Read a user's dataset.

    Raises
    ------
    UserError
        One line: what is wrong with which array, or with the file.
    """
    arrays = npz.load(file, "dataset of yours", list(NEEDED))
    try:
        return _dataset(arrays, name)
    except UserError as error:
        raise UserError(f"{error} [in {file}]") from error


def _dataset(arrays, name):
    if unknown := sorted(set(arrays) - {*NEEDED, *OPTIONAL}):
        known = ", ".join([*NEEDED, *OPTIONAL])
        raise UserError(f"dataset {name}: unknown array {', '.join(unknown)}; known: {known}")
    X = arrays["X"]
    if X.dtype.kind not in "fiu" or X.ndim != 3 or X.size == 0:
        raise UserError(
            f"dataset {name}: X must be numbers [N, channels, T], got {X.dtype} {X.shape}"
        )
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused
        X = X.astype(np.float32)
    for key in set(arrays) - {"X"}:
        if arrays[key].shape != (len(X),):
            raise UserError(
                f"dataset {name}: {key} must be [{len(X)}], one for each series of X, "
                f"got {arrays[key].shape}"
            )
    if arrays["y"].dtype.kind == "f":
        with np.errstate(over="ignore"):
            y = arrays["y"].astype(np.float32)
    else:
        y = _numbered(arrays, "y", name)
        if y.max() == 0:
            raise UserError(f"dataset {name}: y holds one label only; two are needed to tell apart")
    lengths = arrays.get("lengths", np.full(len(X), X.shape[2]))
    if lengths.dtype.kind not in "iu":
        raise UserError(f"dataset {name}: lengths must be integers, got {lengths.dtype}")
    client, trial = (_numbered(arrays, key, name) for key in ("client", "trial"))
    return SeriesDataset(name, X, lengths.astype(np.int64), y, client, trial)


def _numbered(arrays, key, name):
    """Integers or strings as 0, 1, ... in sorted order; ``None`` if there are none."""
    if key not in arrays:
        return None
    if arrays[key].dtype.kind not in "biuUS":
        wanted = "labels (integers or strings) or targets (floats)"
        wanted = wanted if key == "y" else "integers or strings"
        raise UserError(f"dataset {name}: {key} must be {wanted}, got {arrays[key].dtype}")
    return np.unique(arrays[key], return_inverse=True)[1].astype(np.int64)
