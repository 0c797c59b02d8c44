"""``fedreact split``: a file for each client."""

from pathlib import Path
from typing import Any

import click

from fedreact.cli.contract import DATA, as_json, command
from fedreact.cli.dealing import deals, dealt
from fedreact.cli.words import print_json


@command(DATA)
@click.argument("data")
@click.option("--to", required=True, type=click.Path(file_okay=False), help="Folder to write to.")
@as_json
@deals
def run(data: str, to: str, as_json: bool, **given: Any) -> None:
    """Write a file for each client, with its train and test series.

    DATA is the name of a dataset in data/own/, a file of one, or a dataset that a run has prepared.
    Each file has the arrays X, y, lengths and tested; partition.json lists the files.
    """
    from fedreact.io.exports.npz import Npz

    read, drawn = dealt(data, given, needed=True)
    notes = Npz().write(read, drawn, Path(to))
    if as_json:
        print_json({"folder": to, "notes": notes})
        return
    for note in notes:
        click.echo(f"{to}: {note}")


COMMAND = run
