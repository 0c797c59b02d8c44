"""The examples of docs/own.md in a copy of the project, as that page says to lay them there."""

import os
import subprocess
from pathlib import Path

from helpers import PATHS

COMMANDS = (
    "python examples/make_gestures.py && cp -r examples/own . && cp -r examples/own_paper/. .",
    "snakemake --cores 2 mine --config scale=smoke",
)
"""What the page says to run."""


def add_examples(project: Path) -> None:
    """Run the first command."""
    subprocess.run(COMMANDS[0], shell=True, cwd=project, check=True, env=PATHS)


def files_of(folder: Path) -> dict[str, bytes]:
    """Contents of all files, by their paths from the folder."""
    paths = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
