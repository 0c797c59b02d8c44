"""Arrays on disk: npz files whose bytes follow from their content, read with clear errors."""

from pathlib import Path

import numpy as np

from fedreact.errors import UserError


def save(path: Path, **arrays: np.ndarray) -> None:
    """Write arrays as npz at exactly ``path``; the same arrays give the same bytes."""
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def save_compressed(path: Path, **arrays: np.ndarray) -> None:
    """The same for arrays that repeat themselves."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


AGAIN = "delete it and run again"


def load(path: Path, what: str, names: list[str], mend: str = AGAIN) -> dict[str, np.ndarray]:
    """Read an npz file whole.

    Parameters
    ----------
    what
        What the file should be, for the error, e.g. ``"partition"``.
    names
        Arrays that must be there.
    mend
        What to do about one that cannot be read.

    Raises
    ------
    UserError
        The file is missing, truncated, damaged, or lacks an array.
    """
    name = ""
    arrays: dict[str, np.ndarray] = {}
    try:
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                arrays[name] = file[name]
    except FileNotFoundError as error:
        raise UserError(f"{path}: no such file ({what} expected)") from error
    except Exception as error:  # damaged bytes can fail anywhere in zip, zlib and numpy
        reason = str(error).splitlines()[0] if str(error) else "empty file"
        if "allow_pickle" in reason:  # numpy's advice is to trust it
            reason = f"its array {name} holds objects" if name else "it is no npz file"
        raise UserError(f"{path}: not a readable {what} ({reason}); {mend}") from error
    if missing := [wanted for wanted in names if wanted not in arrays]:
        raise UserError(f"{path}: not a {what}, it lacks {', '.join(missing)}")
    return arrays


def load_one(path: Path, name: str) -> np.ndarray:
    """Read one array of an npz file that is known to be sound; what goes wrong is numpy's error."""
    with np.load(path, allow_pickle=False) as file:
        return file[name]
