"""Nothing trains twice: steps end with their workflow, and one training has one process."""

import os
import signal
import subprocess
import sys

import pytest
from helpers import ROOT, wait_until

from fedreact import parent
from fedreact.engine.place import Place
from fedreact.errors import UserError

STEP = """
import argparse, time
from fedreact.command import run

def main(args):
    print("running", flush=True)
    time.sleep(150)

run(main, argparse.ArgumentParser())
"""


def test_a_step_ends_when_who_started_its_shell_is_killed(tmp_path):
    (tmp_path / "step.py").write_text(STEP)
    log = tmp_path / "a.log"
    shell = f'. "{ROOT}/workflow/step.sh" "{ROOT}/src"; {sys.executable} step.py 2>&1 | tee {log}'
    workflow = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys; subprocess.run(['bash', '-c', sys.argv[1]])",
        ]
        + [shell],
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # as in the background
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: log.exists() and "running" in log.read_text())
    os.kill(workflow.pid, signal.SIGKILL)
    workflow.wait()
    wait_until(lambda: "stopped by signal" in log.read_text() or "failed in run" in log.read_text())
    assert "the workflow that started this step is gone" in log.read_text()


def test_a_command_by_hand_is_not_watched(monkeypatch):
    monkeypatch.delenv(parent.STEP, raising=False)
    started = []
    monkeypatch.setattr(parent.threading, "Thread", lambda **how: started.append(how))
    parent.watch()
    assert started == []


def test_a_training_has_one_process(tmp_path):
    place = Place(checkpoint=tmp_path / "below" / "seed0.npz")
    with place.alone():
        with pytest.raises(UserError, match="another process is training this"), place.alone():
            pass
        with place.named("other").alone():
            pass
    with place.alone():
        pass
    assert list((tmp_path / "below").iterdir()) == []
