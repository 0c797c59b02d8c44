"""The units of the how-to are such that systemd takes them."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

PAGE = Path("docs/howto/federation.md")
NAMES = ("fedreact-server", "fedreact-node")
PROGRAMS = "/home/fedreact/fedreact/.venv/bin/"


def units():
    """Units of the page by their names."""
    text = PAGE.read_text()
    shown = re.findall(r"```text\n(\[Unit\]\n.*?)```", text, re.DOTALL)
    assert all(f"/etc/systemd/system/{name}.service" in text for name in NAMES)
    return dict(zip(NAMES, shown, strict=True))


def test_units_start_what_the_steps_of_the_page_start():
    lines = PAGE.read_text().splitlines()
    for unit in units().values():
        (command,) = re.findall(rf"^ExecStart={PROGRAMS}(.*)$", unit, re.MULTILINE)
        assert command in lines
        program, *options = shlex.split(command)
        assert program in ("flower-superlink", "flower-supernode")
        assert "/etc/fedreact/ca.pem" in options


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong_with_the_units_of_the_page(tmp_path):
    """With programs, a folder and a user that are there in place of those of the page."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name, unit in units().items():
        there = re.sub(rf"{PROGRAMS}flower-\w+", str(program), unit)
        there = there.replace("User=fedreact", "User=root")
        there = there.replace("WorkingDirectory=/home/fedreact/fedreact", "WorkingDirectory=/")
        file = tmp_path / f"{name}.service"
        file.write_text(there)
        done = subprocess.run(
            ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
