"""The summary of a run: few lines, with what there is, what is missing and what to do."""

from types import SimpleNamespace

import pytest
from helpers import edit_yaml, make_plan

from fedreact.errors import UserError
from fedreact.workflow import built, ending

ASKED = {"all", "table05", "table04", "fig08", "make_claims", "report"}


def job(rule, output):
    return SimpleNamespace(rule=SimpleNamespace(name=rule), output=[output])


@pytest.fixture
def plan(project):
    edit_yaml(
        "config/papers/fed_react/experiment.yaml",
        lambda c: c["partitions"]["clients100-beta1.0"].update(data="gestures"),
    )
    return make_plan(scale="smoke", dataset="auto", eeg_dataset="auto")


def write(*names):
    for name in names:
        path = built.Path("results/smoke", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def test_a_run_to_the_end(plan):
    write("tables/table05.csv", "figures/fig08.pdf", "report.html")
    lines = ending.lines(plan, ASKED - {"make_claims"}, seconds=840)
    assert lines[:4] == [
        "Done after 14 minutes: 1 table and 1 figure. Scale: smoke.",
        "Tables    results/smoke/tables/ (print one: make show TABLE=table05 SCALE=smoke)",
        "Figures   results/smoke/figures/",
        "Open      results/smoke/report.html",
    ]
    (left_out,) = [line for line in lines if line.startswith("Left out  table04")]
    assert "there is no dataset 'gestures'" in left_out
    assert not any(line.startswith(("Failed", "Again")) for line in lines)
    assert len(lines) <= 10


def test_a_run_in_which_steps_failed(plan, monkeypatch):
    monkeypatch.setenv(ending.COMMAND, "make tables SCALE=smoke")
    write("tables/table05.csv")
    left = [job("run", "r.csv"), job("make_table", "t/table06.csv"), job("all", "")]
    failed = [f"error: {i}  ({i}.log)" for i in range(9)] + ["error: 0  (again.log)"]
    lines = ending.lines(plan, {"table05", "table06"}, left, failed, 60)
    assert lines[0] == "Not all is built after 1.0 minutes: 1 table. Scale: smoke."
    start = lines.index("Failed    10 jobs:")
    assert lines[start + 1] == "error: 0  (0.log, and 1 more logs)"
    assert lines[start + 6 :] == [
        "... and 4 more",
        "Not built table06",
        "Again     make tables SCALE=smoke",
        "Logs      results/smoke/logs/, .snakemake/log/",
    ]


def test_a_run_that_was_stopped_names_snakemakes_own_command(plan, monkeypatch):
    monkeypatch.delenv(ending.COMMAND, raising=False)
    monkeypatch.setattr("sys.argv", ["/bin/snakemake", "--cores", "2", "x y"])
    lines = ending.lines(plan, {"table05"}, [job("make_table", "t/table05.csv")])
    assert "Stopped   steps that have ended are kept" in lines
    assert "Again     snakemake --cores 2 'x y'" in lines


def test_cells_that_are_left_out_are_said_by_their_reason(plan, monkeypatch):
    skipped, there = SimpleNamespace(skipped="it is too slow"), SimpleNamespace(skipped=None)
    cells = {"table05": {1: there, 2: skipped}, "table06": {1: skipped}, "table01": {1: there}}
    monkeypatch.setattr(plan.outputs, "cells", cells.get)
    monkeypatch.setattr(plan.outputs, "missing", lambda name: None)
    assert ending.parts(plan, cells) == ["cells of table05, table06: it is too slow"]


def test_a_table_is_found_by_its_name(plan):
    write("tables/table05.csv", "on/mine/tables/table06.csv")
    assert built.table("table05", "smoke") == built.Path("results/smoke/tables/table05.csv")
    assert built.table("table06", "smoke").parts[2:4] == ("on", "mine")
    with pytest.raises(UserError, match=r"no table 'tabel05'; did you mean table05\?"):
        built.table("tabel05", "smoke")
    with pytest.raises(UserError, match="no table 'qqq'; make show SCALE=smoke lists"):
        built.table("qqq", "smoke")
    message = "table05 is not built at scale quick; build it: snakemake --cores all table05 "
    with pytest.raises(UserError, match=message) as caught:
        built.table("table05", "quick")
    assert str(caught.value).endswith("(there is one at scale smoke)")
    with pytest.raises(UserError, match="'smokey' is unknown; known scales"):
        built.table("table01", "smokey")


def test_what_is_built(plan):
    with pytest.raises(UserError, match="nothing is built at scale smoke; build it: make tables"):
        built.overview("smoke")
    write("tables/table05.csv", "tables/table05.md", "tables/table01.csv", "report.html")
    assert built.overview("smoke") == [
        "results/smoke/tables/: table01, table05",
        "Page to open: results/smoke/report.html",
        "Print a table: make show TABLE=table01 SCALE=smoke",
    ]


def test_labels_of_a_cell_may_have_slashes():
    assert built.places("t/10 clients/w/ A2") == (
        "t",
        [("10 clients", "w/ A2"), ("10 clients/w", " A2")],
    )
    with pytest.raises(UserError, match="'table05/x' is no cell; wanted CELL="):
        built.places("table05/x")
