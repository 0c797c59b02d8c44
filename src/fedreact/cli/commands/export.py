"""``fedreact export``: a dataset with its clients, or scores, in a format of others."""

from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from fedreact import options
from fedreact.cli import words
from fedreact.cli.contract import DATA, as_json, command
from fedreact.cli.dealing import deals, dealt
from fedreact.errors import UserError
from fedreact.io import exporting

EXPORTS = {name: exporting.load(name) for name in exporting.formats()}


@command(DATA)
@click.argument("format_", metavar="FORMAT", type=words.Choice(list(EXPORTS)))
@click.argument("data")
@click.option("--to", required=True, help="Folder; for trackers the experiment or project.")
@words.options_of(*EXPORTS.values(), section="Options of formats", names=EXPORTS)
@as_json
@deals
def run(format_: str, data: str, to: str, as_json: bool, **given: Any) -> None:
    """Write data, or scores, in a format of others.

    DATA is the name of a dataset in data/own/, a file of one, or a dataset that a run has prepared
    (results/SCALE/data/NAME.npz). For trackers it is a file of scores
    (results/SCALE/runs/.../seed0.csv).

    FORMAT is one of:
    """
    cls = EXPORTS[format_]
    mine = {name for one in EXPORTS.values() for name in options.names(one)}
    if odd := [key for key in mine - set(options.names(cls)) if given.get(key) is not None]:
        raise UserError(f"--{odd[0].replace('_', '-')} is no option of {format_}")
    export = words.made(cls, given)
    if isinstance(export, exporting.ScoresExport):
        notes = export.write(Path(data), to)
    else:
        read, drawn = dealt(data, given, needed=False)
        notes = export.write(read, drawn, Path(to))
    if as_json:
        words.print_json({"to": to, "notes": notes})
        return
    if isinstance(export, exporting.DataExport):
        click.echo(f"Written: {to}")
    for note in notes:
        click.echo(f"note: {note}")


run.help = "\n".join(
    [
        cleandoc(run.help or ""),
        "",
        "\b",
        *(f"  {name}: {cls.TITLE}" for name, cls in EXPORTS.items()),
    ]
)
COMMAND = run
