"""``fedreact search``: the same search of options for every method of a paper."""

import os
import subprocess
import sys

import click

from fedreact.cli.contract import RUNS, as_json, command
from fedreact.cli.words import print_json, to_json


@command(RUNS)
@click.argument("paper")
@click.option("--scale", default="quick", show_default=True, help="A file in config/scales/.")
@click.option("--cores", type=click.IntRange(1), help="Cores of the run (default: all).")
@as_json
def run(paper: str, scale: str, cores: int | None, as_json: bool) -> None:
    """Search the options of all methods of PAPER, on each of its datasets.

    Every method that trains in steps has the same number of trials. They are scored on held-out
    train samples, with seeds that no table uses. The best options are written to
    chosen/SCALE.yaml in the paper's folder, and its tables take them from then on.
    """
    from fedreact.cli import searching
    from fedreact.cli.showing import make_plan

    plan = make_plan(scale)
    targets = searching.targets(plan, paper)
    words = ["snakemake", "--cores", str(cores or os.cpu_count() or 1), *targets]
    words += ["--config", f"scale={scale}"]
    done = subprocess.run(words, check=False, **to_json(as_json))
    if done.returncode:
        sys.exit(done.returncode)
    chosen = [str(searching.write(plan, target)) for target in targets]
    if as_json:
        print_json({"chosen": chosen})
        return
    for file in chosen:
        click.echo(f"{file} has the best options; tables take them")


COMMAND = run
