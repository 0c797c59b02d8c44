"""``fedreact metrics``: metrics, and the subsets and reducers that they can be combined with."""

import click

from fedreact.cli import tables
from fedreact.cli.contract import LOOK_UP, as_json, command
from fedreact.cli.words import print_json


@command(LOOK_UP)
@as_json
def run(as_json: bool) -> None:
    """List metrics, and the subsets and reducers that they can be combined with.

    A table names a metric base, base@subset, base:reducer or base@subset:reducer. For example,
    accuracy@worst_fifth:var is the variance of the accuracy over the worst fifth of the clients.
    """
    from fedreact.reference import lists

    there = lists.metrics()
    if as_json:
        print_json(there)
        return
    bases = [
        (one["name"], one["title"], one["better"] or "", ", ".join(one["tasks"]))
        for one in there["bases"]
    ]
    subsets = [(one["name"], one["of"], one["about"]) for one in there["subsets"]]
    reducers = [(one["name"], one["about"]) for one in there["reducers"]]
    recorded = [(one["name"], one["title"], one["better"] or "") for one in there["recorded"]]
    click.echo(tables.text(("base", "title", "better", "tasks"), bases) + "\n")
    click.echo(tables.text(("subset", "of what", "what it is"), subsets))
    click.echo("A subset that is recorded needs a run that records it, and has no reducer.\n")
    click.echo(tables.text(("reducer", "what it is"), reducers) + "\n")
    click.echo("Runs record these themselves; they have no subset and no reducer:")
    click.echo(tables.text(("metric", "title", "better"), recorded))


COMMAND = run
