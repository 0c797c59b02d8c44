"""A user's own methods and encoders: Python files that are known by their names.

``own/methods/<name>.py`` defines ``METHOD``, as :data:`fedreact.methods.METHODS` holds them, and
``own/encoders/<name>.py`` defines ``ENCODER``, which makes a
:class:`fedreact.models.encoder.Encoder` from a number of channels. Where the configuration uses a
name that the project does not know, it is looked for here.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

from fedreact.errors import UserError

FOLDER = Path("own")
DEFINED = {"methods": "METHOD", "encoders": "ENCODER"}
"""What a file of each kind defines."""


def file(kind: str, name: str) -> Path:
    """File of a method or encoder."""
    return FOLDER / kind / f"{name}.py"


def names(kind: str) -> list[str]:
    """Names of the user's methods or encoders."""
    return sorted(path.stem for path in (FOLDER / kind).glob("*.py") if path.stem.isidentifier())


def load(kind: str, name: str, known: list[str]) -> Any:
    """Import a user's file and return what it defines.

    Parameters
    ----------
    kind
        ``methods`` or ``encoders``.
    known
        The project's own names, for the error.

    Raises
    ------
    UserError
        There is no such file, it cannot be imported, or it does not define what it should.
    """
    path = file(kind, name)
    if name not in names(kind):
        found = ", ".join([*known, *names(kind)])
        raise UserError(f"{kind[:-1]} {name!r} is unknown; known: {found}; or write {path}")
    # By name, so that the processes of a training find it, too: they are given this path.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        module = importlib.import_module(".".join(path.with_suffix("").parts))
        return getattr(module, DEFINED[kind])
    except Exception as error:  # what a user's file does when it is imported, nobody knows
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: {type(error).__name__}: {reason}") from error
