"""Draw the pictures of the documentation (``make docs``)."""

from pathlib import Path

from matplotlib.figure import Figure

from fedreact import plugins
from fedreact.atomic import atomic
from fedreact.reference.pictures import by_method, marks
from fedreact.reference.pictures.contract import Kept

FOLDER = "reference/pictures"
DRAWS = "draw"
DIGEST = "Inputs"
"""Under this name a picture tells the digest of its data and code."""
SHARED = tuple(Path(str(module.__file__)) for module in (by_method, marks))
"""Code that several pictures draw with."""


def names() -> list[str]:
    """Name all pictures, as their files are named in ``docs/pictures/``."""
    return [name.replace("-", "_") for name in plugins.names(FOLDER, DRAWS)]


def draw(name: str, references: Path) -> tuple[Figure, str]:
    """Draw a picture.

    Parameters
    ----------
    name
        Of its file.
    references
        With a folder for each scale, and one for each paper in it.

    Returns
    -------
    The figure, and the digest of what it was drawn from.

    Raises
    ------
    UserError
        What it shows is not kept.
    """
    kept = Kept(references)
    figure = plugins.load(FOLDER, name, DRAWS)(kept)
    return figure, kept.digest(plugins.find(FOLDER, name, DRAWS), *SHARED)


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
