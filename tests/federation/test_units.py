"""The units of the how-to are such that systemd takes them."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path("docs/howto/federation.md")
NAMES = ("fedreact-server", "fedreact-node")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_units_of_the_page(tmp_path):
    """With programs, a folder and a user that are there in place of those of the page."""
    units = re.findall(r"```text\n(\[Unit\]\n.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(units) == len(NAMES)
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name, unit in zip(NAMES, units):
        there = re.sub(r"/home/fedreact/fedreact/\.venv/bin/flower-\w+", str(program), unit)
        there = there.replace("User=fedreact", "User=root")
        there = there.replace("WorkingDirectory=/home/fedreact/fedreact", "WorkingDirectory=/")
        file = tmp_path / f"{name}.service"
        file.write_text(there)
        done = subprocess.run(
            ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert "ExecStart=" in unit
        assert f"/etc/systemd/system/{name}.service" in PAGE.read_text()
