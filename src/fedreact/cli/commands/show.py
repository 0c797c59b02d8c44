"""``fedreact show``: a table that a run has built, or what is run for a cell."""

import click

from fedreact.cli.contract import RUNS, as_json, command
from fedreact.cli.words import print_json
from fedreact.errors import UserError


@command(RUNS)
@click.argument("table", required=False)
@click.option(
    "--cell", help='TABLE/ROW/COLUMN: show what is run for it, e.g. "table05/IFCA/w/ A2".'
)
@click.option("--setting", help="Show what is run on a setting, e.g. stationary10.")
@click.option("--method", help="With --setting, e.g. ifca (default: the first there).")
@click.option("--paper", help="With --setting (default: the first of config.yaml).")
@click.option("--whole", is_flag=True, help="Show commands in full.")
@click.option("--scale", default="quick", show_default=True, help="Scale of the run.")
@as_json
def run(
    table: str | None,
    cell: str | None,
    setting: str | None,
    method: str | None,
    paper: str | None,
    whole: bool,
    scale: str,
    as_json: bool,
) -> None:
    """Show a built table, or the configuration of a cell or a setting.

    Without a TABLE: which tables there are. The configuration has each option, and the line of the
    file that sets it. With --json, a TABLE is a list of its cells.
    """
    from fedreact.cli import showing
    from fedreact.workflow import built

    if as_json:
        if table is None or setting is not None or cell is not None:
            raise UserError("--json needs a TABLE; fedreact explain CELL --json explains a cell")
        print_json(showing.in_json(table, scale))
    elif setting is not None:
        click.echo(showing.of_setting(setting, scale, paper, method, whole))
    elif cell is not None:
        click.echo(showing.of_cell(cell, scale, whole))
    elif table is not None:
        click.echo(showing.of_table(table, scale))
    else:
        click.echo("\n".join(built.overview(scale)))


COMMAND = run
