"""What a run has built: tables by their names, and what to do for one that is not there."""

from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from fedreact.errors import UserError
from fedreact.resolve.config import load_scale
from fedreact.resolve.papers import load_paper, paper_names
from fedreact.tables.files import ON

T = TypeVar("T")


def names(scale: str) -> list[str]:
    """Names of the targets of all tables of all papers."""
    like = load_scale(scale).like
    papers = [load_paper(name, scale, like) for name in paper_names()]
    return [f"{paper.prefix}{name}" for paper in papers for name in paper.tables]


def folders(results: Path) -> list[Path]:
    """Folders of tables of a scale: of the data that is taken by itself, and of what was chosen."""
    parents = [results, *sorted((results / ON).glob("*"))]
    return [folder / "tables" for folder in parents if (folder / "tables").is_dir()]


def table(name: str, scale: str, results: Path = Path("results")) -> Path:
    """Find the csv of a table that a run has built.

    Parameters
    ----------
    name
        Name of the table's target.
    scale
        Of the run.
    results
        Folder of all scales.

    Raises
    ------
    UserError
        There is no table of this name, or it is not built yet; the line says what builds it.
    """
    there = [folder / f"{name}.csv" for folder in folders(results / scale)]
    if files := [csv for csv in there if csv.is_file()]:
        return files[0]
    if name not in (known := names(scale)):
        near = get_close_matches(name, known, n=1)
        listed = f"make show SCALE={scale} lists those that are built"
        raise UserError(
            f"there is no table {name!r}; {f'did you mean {near[0]}?' if near else listed}"
        )
    scales = sorted(path.parts[-3] for path in results.glob(f"*/tables/{name}.csv"))
    raise UserError(
        f"{name} is not built at scale {scale}; build it: "
        f"snakemake --cores all {name} --config scale={scale}"
        + (f" (there is one at scale {', '.join(scales)})" if scales else "")
    )


def places(cell: str) -> tuple[str, list[tuple[str, str]]]:
    """Read ``table/row/column``, in which row and column may have slashes themselves.

    Returns the table, and the pairs of row and column that may be meant.

    Raises
    ------
    UserError
        It does not have three parts.
    """
    name, *parts = cell.split("/")
    if len(parts) < 2:
        raise UserError(f'{cell!r} is no cell; wanted CELL="table05/10 clients/w/ A2"')
    pairs = [("/".join(parts[:i]), "/".join(parts[i:])) for i in range(1, len(parts))]
    return name, pairs


def first_that_fits(cell: str, read: Callable[[str, str, str], T]) -> T:
    """What ``read(table, row, column)`` says of ``table/row/column``; labels may have slashes.

    Raises
    ------
    UserError
        The first that ``read`` raises, if it raises for all readings of the text.
    """
    name, pairs = places(cell)
    errors = []
    for row, column in pairs:
        try:
            return read(name, row, column)
        except UserError as error:
            errors.append(error)
    raise errors[0]


def overview(scale: str, results: Path = Path("results")) -> list[str]:
    """Lines on what a run has built: its tables, the page to open.

    Raises
    ------
    UserError
        Nothing is built at this scale.
    """
    tables_of = {f: sorted(csv.stem for csv in f.glob("*.csv")) for f in folders(results / scale)}
    if not (first := next(filter(None, tables_of.values()), None)):
        raise UserError(f"nothing is built at scale {scale}; build it: make tables SCALE={scale}")
    lines = []
    for folder, tables in tables_of.items():
        lines.append(f"{folder}/: {', '.join(tables)}")
        if (page := folder.parent / "report.html").is_file():
            lines.append(f"Page to open: {page}")
    return [*lines, f"Print a table: make show TABLE={first[0]} SCALE={scale}"]
