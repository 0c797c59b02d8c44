"""``fedreact new``: files to start from, of a configuration or of one's own code."""

from typing import TYPE_CHECKING

import click

from fedreact.cli import starting, words
from fedreact.cli.contract import DATA, as_json, command
from fedreact.errors import UserError
from fedreact.starting import files

if TYPE_CHECKING:
    from fedreact.data.dataset import SeriesDataset

WHAT = ("paper", "method", "dataset", "architecture", "figure")


@command(DATA)
@click.argument("what", type=words.Choice(WHAT))
@click.argument("name")
@click.option("--data", help="A dataset in data/own/, by its name or file (for a paper).")
@starting.minutes
@click.option(
    "--kind",
    type=words.Choice(files.METHODS),
    default="synchronous",
    show_default=True,
    help="Whole models, small ones on an encoder's features, or models on a clock (for a method).",
)
@as_json
def run(what: str, name: str, data: str | None, minutes: float, kind: str, as_json: bool) -> None:
    """Write files to start from; nothing is overwritten.

    A paper is a folder config/papers/NAME that compares methods on your data. Its options follow
    from the size of the data, and each has its reason beside it. The others are a file below own/
    that runs as it is, and says where to fill in what is yours.

    \b
    Examples:
      fedreact new paper wrist --data data/own/wrist.npz
      fedreact new method my-average
      fedreact new method my-clusters --kind clustered
      fedreact new method my-mixing --kind asynchronous
    """
    if what != "paper":
        _file(kind if what == "method" else what, name, as_json)
        return
    if data is None:
        raise click.UsageError("a paper needs --data, a dataset in data/own/")
    from fedreact.starting import paper

    starting.check_folder()
    read = open_own(data)
    started = paper.start(read, minutes)
    folder = starting.write(paper.paper_name(name), started)
    notes = starting.findings(read, started)
    if as_json:
        about = {
            "folder": str(folder),
            "reasons": started.recipe.reasons,
            "left_out": started.left_out,
            "minutes_on_2_cores": started.recipe.minutes,
            "notes": notes,
        }
        words.print_json(about)
        return
    for note in notes:
        click.echo(f"note: {note}")
    cost = f"All of it takes about {starting.written(started.recipe.minutes)} on 2 fast cores."
    click.echo(f"{starting.explain(started)}\n{cost}\n\nWritten: {folder}; edit it as you like")
    click.echo(f"Next: snakemake --cores all {folder.name} (or fedreact plan {folder.name})")


def open_own(data: str) -> "SeriesDataset":
    """Read a dataset that Snakemake finds: one in ``data/own/``.

    Raises
    ------
    UserError
        It is not there, or elsewhere, or damaged.
    """
    from fedreact.data import own
    from fedreact.io.opening import file_of, open_data

    file = file_of(data, words.data_folder())
    if file.resolve() != own.path(words.data_folder(), file.stem).resolve():
        raise UserError(f"{file}: place it in {words.data_folder()}/own/ (fedreact import does)")
    return open_data(str(file), words.data_folder())


def _file(template: str, name: str, as_json: bool) -> None:
    """Write a file of one's own, and say what comes next."""
    file = files.write(template, name)
    dashed = name.replace("_", "-")
    test = files.FILES[template].tests.format(dashed)
    if as_json:
        words.print_json({"file": str(file), "test": test})
        return
    click.echo(f"Written: {file}. It runs as it is; look for FILL IN")
    if template == "dataset":
        click.echo(f"Next: python {file} && fedreact try {dashed}")
    else:
        click.echo(f"Test it: {test}")


COMMAND = run
