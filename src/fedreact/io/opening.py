"""A dataset by its name or by its file, for commands."""

from pathlib import Path

import numpy as np

from fedreact.data import own
from fedreact.data.dataset import SeriesDataset
from fedreact.data.registry import load_registry, registries
from fedreact.errors import UserError, known


def registered() -> list[str]:
    """Name the datasets of the project."""
    return list(load_registry(*(path for path in registries() if path.exists())))


def file_of(data: str, data_folder: Path) -> Path:
    """Return the file of a dataset of the user's own, by its name or its path.

    Raises
    ------
    UserError
        There is no such dataset.
    """
    path = Path(data)
    file = path if path.suffix == ".npz" else own.path(data_folder, data)
    if file.is_file():
        return file
    there = own.names(data_folder)
    raise UserError(
        f"there is no dataset {path.stem!r}: no file {file}; in {data_folder / own.FOLDER} are "
        f"{known(there, path.stem) or 'none yet'} (fedreact import makes one)"
    )


def open_data(data: str, data_folder: Path) -> SeriesDataset:
    """Read a dataset: one of the user's own, or one that a run has prepared.

    Raises
    ------
    UserError
        There is no such dataset, or its file is damaged.
    """
    file = file_of(data, data_folder)
    if _is_prepared(file):
        return SeriesDataset.load(file)
    own.check_name(file.stem, registered())
    return own.read(file, file.stem)


def _is_prepared(file: Path) -> bool:
    """Tell whether a file is a prepared dataset, which has its name in it."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            return "name" in arrays.files
    except Exception:  # the reader of datasets says what is wrong with it
        return False
