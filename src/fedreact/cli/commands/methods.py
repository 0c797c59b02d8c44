"""``fedreact methods``: all methods of all papers."""

from dataclasses import asdict

import click

from fedreact.cli import tables, words
from fedreact.cli.contract import LOOK_UP, as_json, command
from fedreact.cli.words import print_json
from fedreact.errors import UserError, unknown


@command(LOOK_UP)
@click.argument("names", nargs=-1)
@click.option("--kind", help="Only those of a kind of run, e.g. synchronous.")
@click.option("--paper", help="Only those of a paper, e.g. fedst.")
@click.option(
    "--task",
    type=words.Choice(["classification", "multi-label", "regression"]),
    help="Only those that can run on such a task.",
)
@as_json
def run(
    names: tuple[str, ...], kind: str | None, paper: str | None, task: str | None, as_json: bool
) -> None:
    """List methods: what they do, and the tasks that they can run on.

    A column of a table names a method as PAPER/METHOD. NAMES are parts of such names; without any,
    all methods are listed. With --json also where each comes from.
    """
    from fedreact.reference import lists

    there = lists.methods()
    for wanted, column in ((kind, "kind"), (paper, "paper")):
        known = dict.fromkeys(getattr(entry, column) for entry in there)
        if wanted is not None and wanted not in known:
            raise UserError(f"--{column} {unknown(wanted, known)}")
    chosen = [
        entry
        for entry in there
        if (not names or any(name in entry.name for name in names))
        and kind in (None, entry.kind)
        and paper in (None, entry.paper)
        and (task is None or task in entry.tasks)
    ]
    if not chosen:
        raise UserError("no method is like this; fedreact methods lists all")
    if as_json:
        print_json([asdict(entry) for entry in chosen])
        return
    for name in dict.fromkeys(entry.kind for entry in chosen):
        click.echo(f"{name}")
        of_kind = [entry for entry in chosen if entry.kind == name]
        rows = [
            (
                entry.name,
                ", ".join(entry.tasks) if len(entry.tasks) < 3 else "all",
                entry.about + (f" ({entry.options})" if entry.options else ""),
            )
            for entry in of_kind
        ]
        click.echo(tables.text(("method", "tasks", "what it does"), rows) + "\n")


COMMAND = run
