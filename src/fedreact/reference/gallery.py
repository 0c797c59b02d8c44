"""Draw the pictures of the documentation (``make docs``)."""

import inspect
from pathlib import Path

from matplotlib.figure import Figure

from fedreact import plugins
from fedreact.atomic import atomic
from fedreact.reference.pictures import by_method, marks
from fedreact.reference.pictures.contract import KeptRuns

FOLDER = "reference/pictures"
DRAWS = "draw"
DIGEST = "Inputs"
"""Key of a picture's metadata that holds the digest of its data and code."""
SHARED = tuple(Path(inspect.getfile(module)) for module in (by_method, marks))
"""Code that several pictures draw with."""


def names() -> list[str]:
    """Name all pictures, as their files are named in ``docs/pictures/``."""
    return [name.replace("-", "_") for name in plugins.names(FOLDER, DRAWS)]


def draw(name: str, references: Path) -> tuple[Figure, str]:
    """Draw a picture.

    Parameters
    ----------
    name
        Name of its file.
    references
        Folder with a folder for each scale, and one for each paper in it.

    Returns
    -------
    tuple
        The figure, and the digest of what it was drawn from.

    Raises
    ------
    UserError
        The numbers that it shows are not kept.
    """
    runs = KeptRuns(references)
    figure = plugins.load(FOLDER, name, DRAWS)(runs)
    return figure, runs.digest(plugins.find(FOLDER, name, DRAWS), *SHARED)


def draw_all(references: Path, folder: Path) -> list[str]:
    """Write all pictures as ``<folder>/<name>.png``, and return their names.

    The same kept files give the same bytes.

    Raises
    ------
    UserError
        See :func:`draw`.
    """
    for name in names():
        figure, digest = draw(name, references)
        with atomic(folder / f"{name}.png") as path:
            figure.savefig(path, format="png", metadata={"Software": None, DIGEST: digest})
    return names()
