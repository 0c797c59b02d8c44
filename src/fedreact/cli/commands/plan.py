"""``fedreact plan``: what a run will cost, before it starts."""

import os

import click

from fedreact.cli.contract import RUNS, as_json, command
from fedreact.cli.words import print_json


@command(RUNS)
@click.argument("targets", nargs=-1)
@click.option("--scale", default="quick", show_default=True, help="A file in config/scales/.")
@click.option("--config", multiple=True, help="A change of config.yaml, key=value.")
@click.option("--cores", type=click.IntRange(1), help="Cores of the run (default: all).")
@as_json
def run(
    targets: tuple[str, ...],
    scale: str,
    config: tuple[str, ...],
    cores: int | None,
    as_json: bool,
) -> None:
    """Estimate the cost of a run before it starts; nothing is run.

    TARGETS are those of Snakemake, e.g. table05 fedst; without any, all. Estimates rest on earlier
    runs, or on the speed of this machine, which is then measured in seconds.
    """
    from fedreact.estimates import planning

    cores = cores or os.cpu_count() or 1
    planned = planning.plan(targets or ("all",), scale, cores, config)
    if as_json:
        print_json(planned.about())
    else:
        click.echo(planned.text(cores))


COMMAND = run
