"""Every command explains itself, and says in one line what is wrong with what it is given."""

import os
import subprocess
import sys

import pytest
from bad_input import call
from helpers import ROOT, command

COMMANDS = sorted(path.name for path in (ROOT / "scripts").glob("[a-z]*.py"))
LINES = 70
"""A script reads its options, calls the package and writes; the work is done there."""


@pytest.mark.parametrize("script", COMMANDS)
def test_every_command_explains_itself(script):
    status, printed = call(script, "--help")
    assert status == 0
    assert "usage:" in printed
    status, printed = call(script)
    assert status == 2
    assert "error: " in printed


@pytest.mark.parametrize("script", COMMANDS)
def test_commands_are_short(script):
    assert len((ROOT / "scripts" / script).read_text().splitlines()) <= LINES


def test_words_may_be_longer_than_the_system_allows(tmp_path):
    """Linux allows a word 128 kB; those of searches and ledgers are longer."""
    long = "x" * 200_000
    script = tmp_path / "script.sh"
    script.write_text(
        f"cd {ROOT}\nexec {sys.executable} scripts/measure_search.py "
        f"@<(printf '%s\\n' --layout '[\"{long}\"' --taken 'a b') --searches s.yaml --name n "
        "--scores s.csv --scale quick --output o.csv\n"
    )
    done = subprocess.run(["bash", script], capture_output=True, text=True, check=False)
    assert done.stderr == "error: s.yaml: no such file\n"
    status, printed = call("measure_search.py", "@nowhere")
    assert (status, printed) == (2, "error: nowhere: No such file or directory\n")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04]q\x00."])
def test_a_damaged_file_is_one_clear_line_and_nothing_is_written(tmp_path, content):
    damaged, output = tmp_path / "data.npz", tmp_path / "out.npz"
    damaged.write_bytes(content)
    printed, status = command(
        "python", str(ROOT / "scripts/make_partition.py"), "dirichlet", "--cluster-sizes", "1",
        "--beta", "1", "--data", str(damaged), "--seed", "0", "--output", str(output),
        cwd=tmp_path, env={"PYTHONPATH": os.pathsep.join([str(ROOT / "src")])},
    )  # fmt: skip
    assert status == 2
    (line,) = printed.splitlines()
    assert line.startswith(f"error: {damaged}: not a readable dataset")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.npz"]


def test_claims_of_no_paper_are_one_line(tmp_path):
    status, printed = call("join_claims.py", "--claims", "--output", str(tmp_path / "claims.csv"))
    assert status == 2
    assert "error: no paper of this run has claims; claims.yaml in its folder" in printed
