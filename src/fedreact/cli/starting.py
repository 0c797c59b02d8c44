"""What ``fedreact new paper`` and ``fedreact try`` share: they write a configuration, and why."""

import re
import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fedreact.errors import UserError

if TYPE_CHECKING:
    from fedreact.data.dataset import SeriesDataset
    from fedreact.starting.paper import Start

PAPERS = Path("config/papers")
CONFIG = Path("config/config.yaml")

RULE = r"^(?:rule|checkpoint|use rule \w+ as) (\w+)(?::| with)"
"""A line that names a rule of the workflow."""

FEWEST_MINUTES = 0.5

minutes = click.option(
    "--minutes",
    type=click.FloatRange(min=FEWEST_MINUTES),
    default=5.0,
    show_default=True,
    help="Time that the run may take on 2 cores; more of it trains longer.",
)
"""The option of commands that write a configuration."""


def check_folder() -> None:
    """Raise a ``UserError`` outside the project's folder."""
    if not CONFIG.is_file():
        raise UserError(
            f"there is no {CONFIG} here: run this in the folder of the project (README.md)"
        )


def check_name(paper: str) -> None:
    """Refuse a name of a paper that a target of the workflow has.

    Raises
    ------
    UserError
        Another paper or target has the name, or it has characters that no name may have.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", paper):
        raise UserError(
            f"{paper!r} is no name of a paper: begin with a letter; a-z, 0-9 and _ may follow"
        )
    rules = [*Path("workflow").glob("Snakefile"), *Path("workflow/rules").glob("*.smk")]
    names = re.findall(RULE, "\n".join(map(Path.read_text, rules)), re.MULTILINE)
    if paper in names:
        raise UserError(f"{paper} is a target of the workflow; choose another name (--name)")


def write(paper: str, started: "Start") -> Path:
    """Write the folder of a paper, if all of the configuration can be read with it.

    Raises
    ------
    UserError
        A folder or target of this name is there, or something in the configuration is wrong.
    """
    from fedreact.benchmark import additions
    from fedreact.reading import read_yaml
    from fedreact.resolve.plan import Plan

    check_name(paper)
    folder = PAPERS / paper
    additions.write(folder, started.files)
    try:
        Plan(read_yaml(CONFIG) | {"scale": "quick", "papers": [paper]}).check([paper])
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder


def written(minutes: float) -> str:
    """Write an estimated time."""
    return "a minute" if minutes < 1.5 else f"{minutes:.0f} minutes"


def explain(started: "Start") -> str:
    """Give the reasons for a configuration, in one paragraph."""
    left_out = [f"Left out: {name} ({why})." for name, why in started.left_out.items()]
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    return textwrap.fill(" ".join([*started.recipe.reasons, *left_out]), width)


def findings(data: "SeriesDataset", started: "Start") -> list[str]:
    """Say what would make results on these clients meaningless."""
    from fedreact.clients import adjacent
    from fedreact.clients import checks as of_clients
    from fedreact.data import checks as of_data
    from fedreact.io import size

    drawn = started.drawn
    return [
        *of_data.findings(data),
        *size.findings(data),
        *of_clients.findings(drawn, data.y, data.label_names),
        *of_clients.leaks(drawn, data),
        *adjacent.findings(drawn, data),
    ]
