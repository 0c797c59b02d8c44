"""``fedreact try``: from a user's files to a table and a page, in one command."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fedreact.cli import importing, starting, words
from fedreact.cli.contract import DATA, as_json, command
from fedreact.errors import UserError

if TYPE_CHECKING:
    from fedreact.data.dataset import SeriesDataset
    from fedreact.io.importing import Imported
    from fedreact.io.recipes import Recipe


@command(DATA)
@click.argument("data")
@click.option("--name", help="Name of the dataset (default: of the file): a-z, 0-9 and dashes.")
@starting.minutes
@click.option("--at", default="quick", show_default=True, help="Scale of the run: quick or smoke.")
@click.option("--cores", type=click.IntRange(1), help="Cores of the run (default: all).")
@as_json
@importing.imports
def run(
    data: str,
    name: str | None,
    minutes: float,
    at: str,
    cores: int | None,
    as_json: bool,
    format_: str | None,
    **given: Any,
) -> None:
    """Compare methods on your data: import, check, configure, run, show.

    DATA is a file or a folder that fedreact import reads (it takes the same options), or the name
    of a dataset in data/own/. What is compared is written to config/papers/NAME, where you can edit
    it; a folder that is there stays as it is. Run the same command again to go on after a stop.
    With --json, the tables are printed for a program, and messages go to the standard error.

    \b
    Examples:
      fedreact try watch.csv --client person --label activity --time t --window 2s
      fedreact try folder --pattern "{client}/{label}_{trial}.csv"
      fedreact try meters.csv --client house --time hour --window 48 --forecast kwh
    """
    with words.messages(as_json):
        cores = cores or os.cpu_count() or 1
        folder = _run(data, name, minutes, at, cores, format_, given, as_json)
    if as_json:
        words.print_json(_about(folder, at))
    else:
        _show(folder.name, at)


def _run(
    data: str,
    name: str | None,
    minutes: float,
    at: str,
    cores: int,
    format_: str | None,
    given: dict[str, Any],
    as_json: bool,
) -> Path:
    """Import, check, configure and run; return the folder of the configuration."""
    from fedreact.data import own
    from fedreact.resolve.config import load_scale
    from fedreact.starting import paper

    starting.check_folder()
    load_scale(at)  # refuses an unknown one before anything is written
    starting.check_name(paper.paper_name(name or name_of(Path(data))))
    imports = words.data_folder() / own.FOLDER
    before = set(imports.glob("*"))
    read = _read(data, name, format_, given, minutes)
    folder = starting.PAPERS / paper.paper_name(read.name)
    if is_there := folder.exists():
        click.echo(f"{folder} is there already and stays as it is")
    else:
        try:
            started = paper.start(read, minutes)
            starting.write(folder.name, started)
        except UserError:  # the next try may import otherwise, by the same name
            for path in sorted(set(imports.glob("*")) - before):
                path.unlink()
                click.echo(f"Removed again: {path}")
            raise
        for note in starting.findings(read, started):
            click.echo(f"note: {note}")
        click.echo(f"\n{starting.explain(started)}\n\nWritten: {folder}; edit it as you like")
    counted = _counted(read, folder.name, at, minutes) if is_there else started.recipe.minutes
    _estimate(folder.name, at, None if is_there else minutes, cores, counted)
    _build(folder.name, at, cores, as_json)
    return folder


def _read(
    data: str, name: str | None, format_: str | None, given: dict[str, Any], minutes: float
) -> "SeriesDataset":
    """Read a dataset of data/own/, or import it there; say what it is.

    An import for a run of some minutes takes fewer windows and another scale, if it must.

    Raises
    ------
    UserError
        There is no such data, it cannot be read, or another dataset has the name.
    """
    from fedreact.data import own
    from fedreact.io.opening import open_data
    from fedreact.io.size import far
    from fedreact.starting.facts import facts_of
    from fedreact.starting.recipe import window_step

    folder = words.data_folder()
    path = Path(data)
    file = own.path(folder, data if path.suffix != ".npz" else path.stem)
    if file.is_file() and (not path.exists() or path.resolve() == file.resolve()):
        if name not in (None, file.stem) or importing.is_given(given):
            raise UserError(f"{file} is imported already, so options of an import change nothing")
        return _described(open_data(str(file), folder), file)
    if not path.exists() and format_ is None:
        if path.name != data or path.suffix:  # not the name of a dataset
            raise UserError(f"there is no file or folder {data}")
        open_data(data, folder)  # says which datasets there are
    recipe = importing.recipe(data, name or name_of(path), format_, given)
    file = own.path(folder, recipe.name)
    if not file.exists():
        imported, chosen = recipe.run(folder), []
        step = window_step(facts_of(imported.data), minutes) if recipe.cutting.forecast else 1
        if given.get("step") is None and step > 1:
            recipe = recipe.stepped(str(step))
            imported = recipe.run(folder)
            chosen.append(
                f"a window begins only every {step} steps, since more would not fit into the time "
                "(--step 1 has all; --minutes allows more time)"
            )
        by_client = _by_client(recipe, imported, folder) if given.get("scale") is None else None
        if by_client is not None:
            recipe, imported = by_client
            chosen.append(
                "clients differ in level by more than each varies, so the values of each, and what "
                "is forecast, are in units of its own spread, and errors, too (--scale client; "
                "--scale none leaves them as they are)"
            )
        elif given.get("scale") is None and far(imported.data):
            recipe = recipe.scaled("all")
            imported = recipe.run(folder)
            chosen.append(
                "values are far from 1, so channels are brought to mean 0 and spread 1 over all "
                "clients (--scale all; --scale none leaves them as they are)"
            )
        imported.notes.extend(chosen)
        click.echo("\n".join(imported.summary(advise=False)))
        recipe.write(imported, folder)
        click.echo(f"Written: {file}, and how in {recipe.beside(file).name}\n")
    elif not _is_made_by(recipe, file, given):
        raise UserError(
            f"{file} is there already and was imported otherwise; remove it, or give this import "
            "another --name"
        )
    return _described(open_data(str(file), folder), file)


def _by_client(
    recipe: "Recipe", imported: "Imported", folder: Path
) -> "tuple[Recipe, Imported] | None":
    """Import again with each client's own scale; ``None`` where levels do not ask for it.

    It is also ``None`` where a client is too small for train and test series of its own.
    """
    from fedreact.io.size import levels_differ
    from fedreact.starting.recipe import TEST_SHARE

    if not levels_differ(imported.data):
        return None
    marked = imported.data.tested is not None
    recipe = recipe.scaled_by_client(None if marked else TEST_SHARE)
    try:
        return recipe, recipe.run(folder)
    except UserError:
        return None


def _is_made_by(recipe: "Recipe", file: Path, given: dict[str, Any]) -> bool:
    """Tell whether a dataset was imported by a recipe, but for what the import chose itself."""
    from fedreact.io import recipes

    if not recipe.beside(file).is_file():
        return False
    there = recipes.read(recipe.beside(file))
    if given.get("scale") is None and there.finishing.scale == "all":
        recipe = recipe.scaled("all")
    if given.get("scale") is None and there.finishing.scale == "client":
        recipe = recipe.scaled_by_client(there.finishing.hold_out)
    if given.get("step") is None and recipe.cutting.forecast:
        recipe = recipe.stepped(there.cutting.step)
    return there == recipe


def name_of(path: Path) -> str:
    """Make the name of a dataset of that of a file or folder."""
    text = path.resolve().name.split(".")[0].lower()
    return re.sub("[^a-z0-9]+", "-", text).strip("-") or "data"


def _described(read: "SeriesDataset", file: Path) -> "SeriesDataset":
    """Say in a line what a dataset is."""
    task = read.task
    owners = "no named clients" if read.owner is None else f"{read.owner.max() + 1} clients"
    click.echo(
        f"{file}: {len(read.X)} series of {task.channels} channels and {task.steps} steps, "
        f"{owners}; {task.kind}"
    )
    return read


def _counted(read: "SeriesDataset", paper: str, scale: str, minutes: float) -> float:
    """Count the minutes on 2 cores of a comparison that is configured but has not begun.

    They are those of the recipe, whatever was edited; 0 if some runs are there already.
    """
    from fedreact.starting.facts import facts_of
    from fedreact.starting.recipe import recipe

    if any(Path("results", scale, "runs").glob(f"*/{paper}")):
        return 0.0
    try:
        return recipe(facts_of(read), minutes).minutes
    except UserError:  # the user's own configuration may do without
        return 0.0


def _estimate(
    paper: str, scale: str, minutes: float | None, cores: int, counted: float = 0.0
) -> None:
    """Say how long the run takes here, and how it would end sooner if that is much longer.

    ``minutes`` are those that its configuration was just written for; ``None`` if it was there
    before, and may hold a user's edits. The plan measures how fast this machine trains, and the
    recipe of a new configuration has ``counted`` what needs no training, too, in minutes on 2
    cores at scale quick: there the longer of both estimates is shown.
    """
    from fedreact.estimates import planning
    from fedreact.starting.recipe import CORES

    targets, config = [paper, f"{paper}_page"], [f"papers=[{paper}]"]
    planned = planning.plan(targets, scale, cores, config)
    here = sum(job["cpu_hours"] for job in planned.jobs.values()) * 60 / cores
    if scale == "quick":
        here = max(here, counted * CORES / cores)
    text = f"The run takes about {starting.written(here)} on {cores} cores here, if they are idle."
    if minutes is not None and here > 1.5 * minutes:
        fewer = max(minutes**2 / here, starting.FEWEST_MINUTES)
        if fewer < minutes:
            text += (
                f" To be done sooner, press Ctrl-C, remove {starting.PAPERS / paper}, and run this "
                f"again with --minutes {fewer:.2g}."
            )
    click.echo(f"\n{text}\n")


def _build(paper: str, scale: str, cores: int, as_json: bool = False) -> None:
    """Run Snakemake for the tables, figures and page of a paper; end if it fails."""
    from fedreact.workflow import ending, locks

    if locks.remove_stale():
        click.echo("An earlier run was killed; this one goes on from there.")
    command_line = [
        sys.executable,
        "-m",
        "snakemake",
        "--cores",
        str(cores),
        paper,
        f"{paper}_page",
    ]
    command_line += ["--config", f"scale={scale}", f"papers=[{paper}]"]
    again = " ".join(["fedreact", *sys.argv[1:]])
    interrupted = False
    # In the background of a shell script it is ignored, and Snakemake would ignore it, too.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    env = os.environ | {ending.COMMAND: again}
    with subprocess.Popen(command_line, env=env, **words.to_json(as_json)) as process:

        def stop(*_: object) -> None:
            """Interrupt Snakemake, which a signal to this process alone does not reach."""
            nonlocal interrupted
            interrupted = True
            process.send_signal(signal.SIGINT)

        before = signal.signal(signal.SIGTERM, stop)
        try:
            while True:
                try:
                    status = process.wait()
                    break
                except KeyboardInterrupt:  # Snakemake is interrupted, too, and ends its jobs
                    interrupted = True
        finally:
            signal.signal(signal.SIGTERM, before)
    if status:
        sys.exit(130 if interrupted else 1)


def _about(folder: Path, scale: str) -> dict[str, Any]:
    """Say to a program where the page and the configuration are, and what the tables hold."""
    from fedreact.cli import showing
    from fedreact.resolve.papers import load_paper

    tables = load_paper(folder.name, scale).tables
    names = [f"{folder.name}_{table}" for table in tables]
    return {
        "folder": str(folder),
        "page": _page(folder.name, scale),
        "tables": {name: showing.in_json(name, scale) for name in names},
    }


def _page(paper: str, scale: str) -> str:
    return f"results/{scale}/{paper}.html"


def _show(paper: str, scale: str) -> None:
    """Print the tables of a paper, and where its page is."""
    from fedreact.cli import showing
    from fedreact.resolve.papers import load_paper

    for table in load_paper(paper, scale).tables:
        click.echo(f"\n{showing.of_table(f'{paper}_{table}', scale)}")
    click.echo(f"\nThe page: {_page(paper, scale)}")


COMMAND = run
