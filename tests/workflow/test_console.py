"""What a run prints of what Snakemake says: errors in a line, nothing else; and in what form."""

import io
import logging
import os
from types import SimpleNamespace

import pytest

from fedreact.workflow import console, failures


class Terminal(io.StringIO):
    def isatty(self):
        return True


def output(**given):
    return SimpleNamespace(**{"dryrun": False, "verbose": False, "printshellcmds": False} | given)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    for name in (console.VERBOSE, console.QUIET):
        monkeypatch.setenv(name, "")


def record(text, level=logging.INFO, **more):
    found = logging.LogRecord("snakemake", level, "", 0, text, (), None)
    found.__dict__.update(more)
    return found


def test_quiet_unless_more_is_asked_for(monkeypatch):
    assert console.is_quiet(output())
    for setting in ("dryrun", "verbose", "printshellcmds"):
        assert not console.is_quiet(output(**{setting: True}))
    for value, quiet in {"1": False, "yes": False, "0": True, "": True}.items():
        monkeypatch.setenv(console.VERBOSE, value)
        assert console.is_quiet(output()) == quiet


@pytest.mark.parametrize("quiet", [True, False])
def test_steps_know_whether_they_are_to_print(quiet):
    console.Console(quiet, stream=io.StringIO())
    assert os.environ.get(console.QUIET, "") == ("yes" if quiet else "")


def test_chatter_is_not_printed_and_errors_are():
    one = console.Console(True, stream=io.StringIO())
    assert not one.lets_through(record("Building DAG of jobs..."))
    assert not one.lets_through(record("Job stats: ...", event="run_info"))
    assert one.lets_through(record("Unlocked working directory."))  # another command's result
    one.started = True
    assert not one.lets_through(record("Select jobs to execute..."))
    assert not one.lets_through(record("Finished jobid: 3", event="job_finished"))
    assert one.lets_through(record("No space left on device", logging.ERROR))
    ending = "WorkflowError:\nAt least one job did not complete successfully."
    assert not one.lets_through(record(ending, logging.ERROR))


def test_all_is_printed_where_all_is_asked_for():
    one = console.Console(False, stream=io.StringIO())
    one.started = True
    assert one.lets_through(record("Select jobs to execute..."))
    assert one.lets_through(record("Job stats: ...", event="run_info"))


def test_where_nothing_is_to_be_done_the_summary_stands():
    one = console.Console(True, ending=lambda: ["Open x.html"], stream=io.StringIO())
    said = record("Nothing to be done (all requested files are present and up to date).")
    assert one.lets_through(said)
    assert said.getMessage() == "Nothing to be done: all of it is there.\nOpen x.html"


def test_the_log_file_keeps_what_is_not_printed(tmp_path):
    logger = logging.Logger("snakemake", logging.INFO)
    file, shown = logging.FileHandler(tmp_path / "log"), logging.StreamHandler(io.StringIO())
    file.addFilter(lambda record: "rule" not in record.getMessage())  # as its profile has it
    logger.addHandler(file)
    logger.addHandler(shown)
    one = console.Console(True, stream=io.StringIO())
    one.listen(logger)
    one.started = True
    logger.info("rule run: Select jobs to execute...")
    logger.error("a disk is full")
    assert (tmp_path / "log").read_text() == (
        "rule run: Select jobs to execute...\na disk is full\n"
    )
    assert shown.stream.getvalue() == "a disk is full\n"


def test_a_failed_step_is_one_line_and_the_same_reason_is_said_once(tmp_path):
    logger, stream = logging.Logger("snakemake", logging.INFO), io.StringIO()
    console.Console(True, stream=stream).listen(logger)
    logs = [tmp_path / f"{name}.log" for name in "abcdef"]
    reasons = ["x", "x", "1", "2", "3", "4"]
    for log, reason in zip(logs, reasons, strict=True):
        log.write_text(f"reading\nerror: {reason}\nfailed in run r: status 2\n")
        about = f"{log} (check log file(s) for error details)"
        logger.error("Error in rule run", extra={"event": "job_error", "log": [about]})
    assert stream.getvalue().splitlines() == [
        f"error: x  ({logs[0]})",
        f"error: 1  ({logs[2]})",
        f"error: 2  ({logs[3]})",
    ]


def test_a_log_that_is_not_there():
    assert failures.line(failures.Path("nowhere.log")).endswith("(nowhere.log)")


def test_errors_of_one_reason_are_one_line():
    lines = ["error: a  (x.log)", "error: b  (y.log)", "error: a  (z.log)"]
    assert failures.grouped(lines) == ["error: a  (x.log, and 1 more logs)", "error: b  (y.log)"]


def test_the_line_of_a_terminal_is_rewritten_and_cut():
    stream = Terminal()
    one = console.Console(True, stream=stream)
    assert one.live
    one.rewrite("1 of 9")
    one.rewrite("x" * 50)
    one.say("error: z")
    one.say("end")
    assert stream.getvalue() == (f"\r\x1b[K1 of 9\r\x1b[K{'x' * 36}...\r\x1b[Kerror: z\nend\n")


def test_a_file_and_a_terminal_without_control_get_lines(monkeypatch):
    assert not console.Console(True, stream=io.StringIO()).live
    assert not console.Console(False, stream=Terminal()).live
    monkeypatch.setenv("TERM", "dumb")
    assert not console.Console(True, stream=Terminal()).live
