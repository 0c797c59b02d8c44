"""``fedreact check``: what a dataset is, and what would make results on it mean nothing."""

import sys
from typing import Any

import click

from fedreact.cli import words
from fedreact.cli.contract import DATA, as_json, command
from fedreact.clients.partitioners.owner import Owner
from fedreact.errors import UserError


@command(DATA)
@click.argument("data")
@click.option(
    "--samples-per-round",
    type=click.IntRange(1),
    help="Labelled series of a round of a clustered method; checks that clients have more.",
)
@click.option("--strict", is_flag=True, help="End with status 1 if there is any note.")
@as_json
@words.options_of(Owner, without=("clients", "owners", "parts"))
def run(
    data: str, samples_per_round: int | None, strict: bool, as_json: bool, **given: Any
) -> None:
    """Describe a dataset of yours, and warn of what would make results meaningless.

    DATA is the name of a dataset in data/own/, or a file. Clients are those that it names. Series
    are split as the options say, by default by its array tested, else at random. Each note names
    what mends it.
    """
    from fedreact.io.checking import report
    from fedreact.io.opening import file_of, open_data

    file = file_of(data, words.data_folder())
    read = open_data(str(file), words.data_folder())
    if given["split"] is None and read.tested is not None:
        given["split"] = "source"
    owner = words.made(Owner, given)
    try:
        made = report(read, owner, samples_per_round, str(file))
    except UserError as error:
        raise UserError(f"{error} [in {file}]") from error
    if as_json:
        words.print_json(made.about | {"notes": made.notes})
    else:
        click.echo("\n".join([*made.lines, *(f"note: {note}" for note in made.notes)]))
    if strict and made.notes:
        sys.exit(1)


COMMAND = run
