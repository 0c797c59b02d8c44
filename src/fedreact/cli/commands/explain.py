"""``fedreact explain``: where the number in a built cell came from."""

import click

from fedreact.cli.contract import RUNS, as_json, command


@command(RUNS)
@click.argument("cell")
@click.option("--metric", help="e.g. rand (default: the first of the cell).")
@click.option("--scale", default="quick", show_default=True, help="Scale of the run.")
@as_json
def run(cell: str, metric: str | None, scale: str, as_json: bool) -> None:
    """Explain a built cell: its runs, files, code, commit, machine and times.

    CELL is TABLE/ROW/COLUMN, e.g. "table05/10 clients/IFCA". Row and column may be parts of their
    labels.
    """
    from fedreact.cli import explaining

    click.echo(explaining.of_cell(cell, scale, metric, as_json))


COMMAND = run
