"""Fixtures that several test modules share."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Tests reach no network: the digits are those of the mirror, if one is named, else simulated.
os.environ["FEDREACT_OFFLINE"] = "1"


LEFT_OUT = [".git", ".venv", ".snakemake", ".*_cache", ".hypothesis", "__pycache__", "*.egg-info"]


def copy_project(to: Path) -> Path:
    """Copy the project without its history, environment, data and results."""

    def left_out(folder, names):
        top = {"data", "results"} if Path(folder) == ROOT else set()
        return top.intersection(names) | shutil.ignore_patterns(*LEFT_OUT)(folder, names)

    return shutil.copytree(ROOT, to, ignore=left_out, dirs_exist_ok=True)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the project, as the current folder."""
    monkeypatch.chdir(copy_project(tmp_path))
    return tmp_path
