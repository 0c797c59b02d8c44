"""The summary of a run says what failed in it, each in a line, and nothing else."""

import logging
import subprocess
import sys

import pytest
from helpers import ROOT

from fedreact.workflow import failures

TRACEBACK = """reading
Traceback (most recent call last):
  File "{here}/scripts/run.py", line 41, in <module>
    run(main, words)
  File "{here}/own/kinds/clustered/algorithms/mine.py", line 12, in round
    return nothing
  File "/usr/lib/python3/numpy/core.py", line 7, in dot
    raise
NameError: name 'nothing' is not defined
"""


@pytest.fixture
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv(failures.RUN, "")
    failures.begin()
    return tmp_path


def step(logs, command, name="a.log"):
    """Run a command as the rules do."""
    shell = f'. "{ROOT}/workflow/step.sh" "{ROOT}/src"; {command} 2>&1 | tee {logs / name}'
    found = subprocess.run(["bash", "-c", shell], cwd=logs, capture_output=True, text=True)
    return found.returncode


def python(text):
    return f"{sys.executable} -c '{text}'"


def test_an_error_that_is_said_in_a_line(logs):
    assert step(logs, python('import sys; print("a"); sys.exit("error: no such file")')) == 1
    assert failures.errors(logs) == [f"error: no such file  ({logs}/a.log)"]


def test_an_exception_has_its_place(logs):
    assert step(logs, python("print(1)\nundefined")) == 1
    (line,) = failures.errors(logs)
    assert line.startswith("error: NameError: name")
    assert "[<string>, line 2]" in line


def test_the_place_in_a_file_of_the_users_own_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = failures.reason(TRACEBACK.format(here=tmp_path).splitlines())
    assert found == (
        "error: NameError: name 'nothing' is not defined "
        "[own/kinds/clustered/algorithms/mine.py, line 12]"
    )


def test_an_exception_of_a_worker_has_its_place_in_the_users_file(tmp_path):
    """Its traceback comes before that of the process that waited for it."""
    of_worker = '"""\n' + TRACEBACK.format(here=tmp_path) + '"""\n\nThe above exception was ...\n\n'
    found = of_worker + (
        'Traceback (most recent call last):\n  File "/usr/pool.py", line 4, in get\n    raise\n'
        "NameError: name 'nothing' is not defined\n"
    )
    assert "mine.py, line 12]" in failures.reason(found.splitlines())


def test_a_killed_step(logs):
    assert step(logs, "bash -c 'kill -9 $$'") == 137
    (line,) = failures.errors(logs)
    assert line.startswith("error: stopped by signal 9")


def test_a_step_that_is_interrupted_has_not_failed(logs):
    """Ctrl-C reaches the step too, which ends with status 130."""
    assert step(logs, python("raise SystemExit(130)")) == 130
    assert failures.errors(logs) == []
    assert failures.is_interrupted(logs / "a.log")
    assert step(logs, "false", "b.log") == 1
    assert not failures.is_interrupted(logs / "b.log")
    assert not failures.is_interrupted(logs / "c.log")


def test_a_step_that_says_nothing(logs):
    assert step(logs, "bash -c 'exit 3'") == 3
    assert failures.errors(logs) == [f"ended with status 3  ({logs}/a.log)"]


def test_nothing_of_steps_that_succeed_or_of_earlier_runs(logs):
    assert step(logs, python('print("error: this was caught")')) == 0
    assert step(logs, python('import sys; sys.exit("error: SUMO is not installed")'), "old.log")
    assert len(failures.errors(logs)) == 1
    failures.begin()
    assert failures.errors(logs) == []
    assert step(logs, "false", "new.log") == 1
    assert [line.split("/")[-1] for line in failures.errors(logs)] == ["new.log)"]


def said(text):
    """A record of Snakemake's, and whether it is printed."""
    record = logging.LogRecord("snakemake", logging.ERROR, "", 0, text, (), None)
    return failures.in_words(record, ["table05", "table06"]), record.getMessage()


def test_the_command_of_a_failed_step_is_not_printed():
    command = "RuleException:\nCalledProcessError in a.smk:\nCommand 'python x' ..."
    assert said(command) == (False, command)
    assert said("Shutting down") == (True, "Shutting down")


def test_a_target_that_is_misspelt():
    text = "MissingRuleException:\nNo rule to produce {} (if you use input functions ...)."
    missing = "is neither a target nor a file that a step makes"
    assert said(text.format("tabel05")) == (
        True,
        f"error: tabel05 {missing}; did you mean table05?",
    )
    assert said(text.format("x")) == (True, f"error: x {missing}")


def test_another_run_in_the_folder_is_named():
    locked = "LockException:\nError: Directory cannot be locked. Please make sure ...\n/home/a"
    printed, text = said(locked)
    assert printed
    assert text.startswith("error: another run in this folder writes the same files")
    assert "\n" not in text
