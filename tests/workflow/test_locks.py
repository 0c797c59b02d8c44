"""The lock of a run that was killed."""

import subprocess
from pathlib import Path

import pytest

from fedreact.workflow import locks


@pytest.fixture
def unlocked(tmp_path, monkeypatch):
    """Calls of Snakemake, in a folder that is locked."""
    monkeypatch.chdir(tmp_path)
    locks.LOCKS.mkdir(parents=True)
    (locks.LOCKS / "0.input.lock").touch()
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda words, **_: calls.append(words[-1]))
    return calls


def process(folder, words, cwd):
    """What the system says of a process."""
    folder.mkdir(parents=True)
    (folder / "cmdline").write_bytes("\0".join(words).encode())
    (folder / "cwd").symlink_to(cwd)


def test_a_lock_is_removed_if_nothing_runs(unlocked, monkeypatch):
    monkeypatch.setattr(locks, "is_running", lambda: True)
    assert not locks.remove_stale()
    assert unlocked == []
    monkeypatch.setattr(locks, "is_running", lambda: False)
    assert locks.remove_stale()
    assert unlocked == ["--unlock"]


def test_without_a_lock_nothing_is_done(unlocked):
    (locks.LOCKS / "0.input.lock").unlink()
    assert not locks.remove_stale()


def test_a_run_is_found_by_its_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "proc"
    process(there / "1", ["python", "-m", "snakemake", "all"], Path("/"))
    process(there / "2", ["python", "-m", "pytest"], tmp_path)
    assert not locks.is_running(there)
    process(there / "3", ["/bin/python", "/bin/snakemake", "all"], tmp_path)
    assert locks.is_running(there)
    assert locks.is_running(tmp_path / "nowhere")
