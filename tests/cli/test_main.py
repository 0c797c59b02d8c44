"""The command fedreact: help, misspelt words, exit statuses, and that it starts quickly."""

import json
import subprocess
import sys

import click
import pytest
from helpers import ROOT
from small_cli import call

from fedreact.cli import contract, reference
from fedreact.cli.main import main

HEAVY = ("torch", "scipy", "pandas", "matplotlib", "sklearn", "snakemake")


@pytest.mark.parametrize("name", contract.names())
def test_every_command_explains_itself(name):
    made = contract.load(name)
    assert isinstance(made, contract.Command)
    assert made.section in contract.SECTIONS
    status, printed, _ = call(name, "--help")
    assert status == 0
    assert printed.startswith("Usage: ")
    for param in made.params:
        assert not isinstance(param, click.Option) or param.help, param.name


def test_the_help_lists_all_commands():
    status, printed, _ = call("--help")
    assert status == 0
    assert all(f"  {name} " in printed for name in contract.names())
    assert printed.index(contract.DATA) < printed.index(contract.LOOK_UP)


def test_what_is_misspelt_is_guessed():
    assert call("chek")[0] == 2  # codespell:ignore chek
    assert "Did you mean 'check'?" in call("chek")[2]  # codespell:ignore chek
    status, _, said = call("check", "--splitt", "random", "a")
    assert status == 2
    assert "Did you mean " in said
    assert "'--split'" in said
    assert "did you mean random?" in call("check", "--split", "randm", "a")[2]


def test_starting_loads_nothing_heavy():
    code = (
        f"import sys\nfrom fedreact.cli.main import group\nsys.argv = ['fedreact', '--help']\n"
        f"try:\n    group.main(prog_name='fedreact')\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_error_is_one_line_with_status_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        main(["check", "nothing"])
    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith("error: there is no dataset 'nothing'")
    done = subprocess.run(
        [sys.executable, "-m", "fedreact", "check", "nothing.npz"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": ""},
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: there is no dataset 'nothing': no file nothing.npz; in data/own are none yet "
        "(fedreact import makes one)\n"
    )


def test_a_command_of_ones_own_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "own/cli/commands/greet.py"
    file.parent.mkdir(parents=True)
    file.write_text(
        "import click\nfrom fedreact.cli.contract import LOOK_UP, command\n\n@command(LOOK_UP)\n"
        'def run():\n    """Greet."""\n    click.echo("hello")\n\nCOMMAND = run\n'
    )
    assert call("greet") == (0, "hello\n", "")
    assert "greet" in call("--help")[1]


def test_the_page_of_the_command_is_current():
    page = (ROOT / "docs/reference/cli.md").read_text()
    assert page == reference.page(), "run: make docs"


def test_completion_is_what_click_writes():
    done = subprocess.run(
        [sys.executable, "-m", "fedreact"],
        capture_output=True,
        text=True,
        env={
            "PYTHONPATH": str(ROOT / "src"),
            "_FEDREACT_COMPLETE": "bash_source",
            "PATH": "/usr/bin:/bin",
        },
    )
    assert "_fedreact_completion" in done.stdout, done.stderr
    assert json.dumps(done.stdout)
