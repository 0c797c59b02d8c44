"""``fedreact options``: the options of all that the configuration can name."""

import click

from fedreact.cli.contract import LOOK_UP, as_json, command
from fedreact.cli.words import print_json


@command(LOOK_UP)
@click.argument("names", nargs=-1)
@as_json
def run(names: tuple[str, ...], as_json: bool) -> None:
    """List options of kinds of run, partitions, datasets, ... with defaults.

    NAMES are names of the configuration, e.g. clustered dirichlet; without any, all are listed.
    """
    from fedreact import catalogue

    if as_json:
        print_json(list(catalogue.listed(names)))
    else:
        click.echo("\n".join(catalogue.text(names)))


COMMAND = run
