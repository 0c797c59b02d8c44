"""What a run prints, in a terminal and elsewhere: few lines, and a summary of what came of it."""

import os
import pty
import re
import subprocess

import pytest
from helpers import PATHS, SCRIPTS, SMOKE, VERBOSE, command, copy_project, edit, edit_yaml

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

TABLES = ["communication", "table12"]
"""What needs no data: a study and a table each."""

MOST = 40


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project in which the data of one table is missing, and a study fails."""
    project = copy_project(tmp_path_factory.mktemp("console") / "project")
    edit_yaml(
        project / "config/papers/fed_react/experiment.yaml",
        lambda c: c["partitions"]["clients100-beta1.0"].update(data="gestures"),
    )
    study = project / "src/fedreact/studies/costs.py"
    edit(
        study,
        "return 2 * arch",
        'raise OSError(28, "No space left on device")\n    return 2 * arch',
    )
    return project


def run(project, *targets, env=None):
    """Lines of a run, and its status."""
    words = ["snakemake", "--cores", "2", *targets, *SMOKE]
    printed, status = command(*words, cwd=project, env=env)
    return printed.splitlines(), status


def in_terminal(project, *targets):
    """What a terminal of 100 columns gets of a run."""
    ours, theirs = pty.openpty()
    environment = PATHS | {"TERM": "xterm", "COLUMNS": "100", "PYTHONPATH": str(project / "src")}
    words = [SCRIPTS / "snakemake", "--cores", "2", *targets, *SMOKE]
    process = subprocess.Popen(words, cwd=project, env=environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    printed = b""
    while True:
        try:
            printed += (read := os.read(ours, 65536))
        except OSError:  # the last who wrote to it has ended
            break
        if not read:
            break
    os.close(ours)
    return printed.decode(), process.wait()


def test_a_terminal_has_one_line_that_is_rewritten_and_a_summary(project):
    printed, status = in_terminal(project, "communication")
    assert status == 0, printed
    seen = re.findall(r"\r\x1b\[K([^\r\n]*)", printed)
    assert any(re.fullmatch(r"\d of 3 jobs are done.*", line) for line in seen), printed
    lines = re.sub(r"\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)", "", printed).split("\r\n")
    assert len(lines) < 12, printed
    assert any("3 jobs are to do." in line for line in lines)
    assert any("Done after 0." in line for line in lines)
    assert not any(word in printed for word in ("Finished jobid", "Select jobs", "| ---", "|---"))
    log = max((project / ".snakemake/log").glob("*.log")).read_text()
    for kept in ("Finished jobid", "Select jobs to execute", "python scripts/make_table.py"):
        assert kept in log
    assert (project / "results/smoke/logs/tables/communication.log").stat().st_size > 100


def test_where_all_is_there_the_summary_stands_again(project):
    run(project, "communication")
    lines, status = run(project, "communication")
    assert status == 0
    assert "Nothing to be done: all of it is there." in lines
    assert "Done: 1 table. Scale: smoke." in lines


def test_what_fails_and_what_is_missing_stop_nothing_else(project):
    (project / "results/smoke/tables/communication.csv").unlink()
    lines, status = run(project, "table04", *TABLES)
    assert status == 1
    assert len(lines) <= MOST
    assert (project / "results/smoke/tables/communication.csv").is_file()
    assert any(
        re.fullmatch(r"Not all is built after 0\.\d minutes: 1 table\. .*", x) for x in lines
    )
    (left_out,) = [line for line in lines if line.startswith("Left out  ")]
    assert left_out.startswith("Left out  table04: there is no dataset 'gestures'")
    errors = [line for line in lines if line.startswith("error: ")]
    log = r"\(results/smoke/logs/studies/table12\.log\)"
    assert len(errors) == 2  # when it fails, and in the end
    assert all(re.fullmatch(rf"error: .*No space left on device.*  {log}", e) for e in errors)
    assert "Failed    1 job:" in lines
    assert "Not built table12" in lines
    again = f"Again     snakemake --cores 2 table04 {' '.join(TABLES)} --config scale=smoke"
    assert again in lines


def test_what_is_missing_alone_is_no_failure(project):
    lines, status = run(project, "table04", "communication")
    assert status == 0, lines
    assert any(line.startswith("Left out  table04: ") for line in lines)


def test_where_nothing_at_all_can_be_built_the_status_says_so(project):
    lines, status = run(project, "table04")
    assert status == 1
    (error,) = [line for line in lines if line.startswith("error: ")]
    assert error.startswith("error: nothing can be built: table04: there is no dataset 'gestures'")
    assert "Traceback" not in "".join(lines)


def test_all_is_printed_where_that_is_asked_for(project):
    (project / "results/smoke/tables/communication.csv").unlink()
    lines, status = run(project, "communication", env=VERBOSE)
    assert status == 0
    assert {"Job stats:", "Select jobs to execute..."} < set(lines)
    assert any(line.startswith("| ---") for line in lines)  # the table


def test_tables_and_cells_are_shown(project):
    def fedreact(*words):
        return command("python", "-m", "fedreact", *words, "--scale", "smoke", cwd=project)

    def show(*words):
        return fedreact("show", *words)

    printed, status = show("communication")
    assert status == 0, printed
    assert "results/smoke/tables/communication.csv has all of its numbers." in printed
    assert "|" not in printed
    printed, status = show("--cell", "communication/ifca/sent")
    assert (status, printed) == (
        1,
        "error: communication: a study makes it, without runs; see: "
        'make explain CELL="communication/ifca/sent"\n',
    )
    printed, status = fedreact("explain", "communication/ifca/sent")
    assert status == 0, printed
    assert printed.startswith("communication: IFCA, FLSC (3 clusters; task models), Sent (KB), ")
    assert "rebuild     snakemake results/smoke/tables/communication.csv" in printed
    printed, status = show("table05")
    assert (status, printed) == (
        1,
        "error: table05 is not built at scale smoke; build it: "
        "snakemake --cores all table05 --config scale=smoke\n",
    )
