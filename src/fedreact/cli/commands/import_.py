"""``fedreact import``: a user's files become ``data/own/<name>.npz``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fedreact.cli import importing, words
from fedreact.cli.contract import DATA, as_json, command
from fedreact.errors import UserError

if TYPE_CHECKING:
    from fedreact.data.dataset import SeriesDataset


@command(DATA)
@click.argument("source", required=False)
@click.option("--name", help="Name of the dataset: a-z, 0-9 and dashes.")
@click.option("--repeat", type=click.Path(), help="Import again as this .import.yaml says.")
@click.option("--dry-run", is_flag=True, help="Print the summary, and write nothing.")
@as_json
@importing.imports
def run(
    source: str | None,
    name: str | None,
    format_: str | None,
    repeat: str | None,
    dry_run: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Make a dataset of your files: data/own/NAME.npz.

    SOURCE is a file or a folder: CSV or Parquet, .ts, .arff, EDF or npz; or the name of a dataset
    of Hugging Face. A summary says what was read, and what was dropped and why. The options are
    written beside the file, to NAME.import.yaml.

    \b
    Examples:
      fedreact import watch.csv --name watch --client person --label activity --time t --window 2s
      fedreact import folder --name watch --pattern "{client}/{label}_{trial}.csv"
      fedreact import meters.csv --name kwh --client house --time hour --window 48 --forecast kwh
      fedreact import Gestures_TRAIN.ts --test Gestures_TEST.ts --name gestures
    """
    from fedreact.io import recipes

    if repeat is not None:
        recipe = recipes.read(Path(repeat))
    elif source is None or name is None:
        raise click.UsageError("name the SOURCE and the --name of the dataset (or --repeat FILE)")
    else:
        recipe = importing.recipe(source, name, format_, given)
    imported = recipe.run(words.data_folder())
    found = _findings(imported.data, imported.gap)
    if as_json:
        words.print_json(imported.about() | {"findings": found})
    else:
        click.echo("\n".join([*imported.summary(), *(f"note: {sentence}" for sentence in found)]))
    if dry_run:
        return
    file = recipe.write(imported, words.data_folder())
    if not as_json:
        click.echo(f"\nWritten: {file}, and how in {recipe.beside(file).name}")
        click.echo(f"Next: fedreact check {recipe.name}")


def _findings(data: "SeriesDataset", gap: int) -> list[str]:
    """Return what would make results on the data meaningless, as ``fedreact check`` says it.

    If the summary asks for a chronological split with a ``gap``, it is what remains with that.
    """
    from fedreact.clients.partitioners.owner import Owner
    from fedreact.io.checking import report

    owner = Owner(split="random" if data.tested is None else "source")
    if gap:
        owner = Owner(split="chronological", gap=gap)
    try:
        return report(data, owner, None, data.name).notes
    except UserError as error:  # a client is too small: what to do is in the line
        return [str(error)]


COMMAND = run
