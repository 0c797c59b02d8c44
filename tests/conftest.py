"""Fixtures that several test modules share."""

import fcntl
import os
import shutil
from pathlib import Path

import browser
import pytest
import torch
from helpers import SMOKE, copy_project, snakemake

# As commands do: two threads of a process wait for each other where other processes run as well.
torch.set_num_threads(1)


@pytest.hookimpl(trylast=True)  # when it is known which are run
def pytest_collection_modifyitems(items):
    """Begin with what takes longest: the tests of the whole workflow."""
    items.sort(key=lambda item: item.get_closest_marker("workflow") is None)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A copy of the project, as the current folder."""
    monkeypatch.chdir(copy_project(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def unchanged(tmp_path_factory):
    """A copy of the project that tests read only, so that its plans can be made once."""
    return copy_project(tmp_path_factory.mktemp("unchanged") / "project")


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """A browser (tests/browser.py), else the test is skipped."""
    with browser.started(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The project with everything built at scale smoke, on two cores.

    Processes of one session build it once and have a copy each. FEDREACT_TEST_BUILT names a folder
    to keep it in, for the next time that tests are run.
    """
    mine, several = tmp_path_factory.getbasetemp(), "PYTEST_XDIST_WORKER" in os.environ
    kept = os.environ.get("FEDREACT_TEST_BUILT") or (mine.parent if several else mine) / "built"
    Path(kept).mkdir(parents=True, exist_ok=True)
    with Path(f"{kept}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        project = copy_project(Path(kept))
        snakemake("--cores", "2", "all", *SMOKE, cwd=project, timeout=3000)
        return shutil.copytree(project, mine / "built-copy") if several else project


@pytest.fixture
def copy(built, tmp_path):
    """A copy of the built project that a test may change."""
    shutil.copytree(built, tmp_path / "copy")
    return tmp_path / "copy"
