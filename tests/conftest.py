"""Fixtures that several test modules share."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Tests reach no network: the digits are those of the mirror, if one is named, else simulated.
os.environ["FEDREACT_OFFLINE"] = "1"


def copy_project(to: Path) -> Path:
    """Copy what git tracks, or would track, to ``to``."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)
    return to


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the project, as the current folder."""
    monkeypatch.chdir(copy_project(tmp_path))
    return tmp_path
