"""The examples of docs/howto/own_*.md in a copy of the project, laid there as the pages say."""

import os
import re
import subprocess
from pathlib import Path

from helpers import PATHS, ROOT

PAGES = [ROOT / "docs/howto/own_data.md", ROOT / "docs/howto/own_method.md"]
COMMANDS = (
    "python examples/make_gestures.py && cp -r examples/own . && cp -r examples/own_paper/. .",
    "snakemake --cores 2 mine --config scale=smoke",
)
"""What the second page says to run."""


def add_examples(project: Path) -> None:
    """Run the first command."""
    subprocess.run(COMMANDS[0], shell=True, cwd=project, check=True, env=PATHS)


def shown() -> list[dict[str, str]]:
    """What the pages' blocks of lines for files show: by file, one block after the other."""
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"^```yaml\n(# .*?)^```$", text, re.M | re.S)
    parts = r"^# ((?:\w+/)?\w+\.yaml)[^\n]*\n(.*?)(?=^# (?:\w+/)?\w+\.yaml|\Z)"
    return [dict(re.findall(parts, block, re.M | re.S)) for block in blocks]


def add_least(project: Path) -> None:
    """The paper of data and nothing else, the first block."""
    for name, lines in shown()[0].items():
        file = project / "config/papers/gestures" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(lines)


def files_of(folder: Path) -> dict[str, bytes]:
    """Contents of all files, by their paths from the folder."""
    paths = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
