"""Data that cannot be had: what needs it is left out and said, all else is built."""

from pathlib import Path

import pytest
from helpers import ROOT, edit_yaml, make_plan, refused
from own_examples import add_examples

from fedreact.data import files
from fedreact.data.sources import sumo_ev
from fedreact.errors import UserError
from fedreact.resolve.datasets import Datasets
from fedreact.tables import cells
from fedreact.tables.files import results_of
from fedreact.tables.sources import CellSource
from fedreact.workflow import ending

EXPERIMENT = "config/papers/fed_react/experiment.yaml"


@pytest.fixture(autouse=True)
def online(monkeypatch):
    """Let all downloads be reachable, on machines without a network, too."""
    monkeypatch.setattr(files, "reachable", lambda url: True)


def test_without_sumo_all_is_built_that_does_not_need_it(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sumo_ev, "find_spec", lambda name: None)
    plan = make_plan(scale="paper")
    whole = set(plan.tables) | set(plan.figures)
    left = {*plan.outputs.chosen(plan.tables), *plan.outputs.chosen(plan.figures)}
    assert {"table01", "table05", "phase1", "fig08"} <= left
    assert {"table06", "iclr_table04", "sumo_splits", "sumo_clusters", "sumo_trip"} <= whole - left
    of_table = plan.outputs.cells("table01")
    skipped = {row for (row, _), cell in of_table.items() if cell.skipped}
    assert skipped == {"SUMO EV (RMSE)"}
    (said,) = plan.outputs.left_out()
    assert "table06" in said
    assert said.endswith("SUMO is not installed; run: pip install -r requirements-sumo.txt.")


def test_a_figure_has_panels_of_the_data_that_is_there(monkeypatch):
    monkeypatch.chdir(ROOT)
    reasons = {"fitrec": "it is not here"}
    monkeypatch.setattr(Datasets, "missing", lambda self, name: reasons.get(name))
    plan = make_plan(scale="smoke", papers="aso_fed")
    runs = plan.job("make_figure", figure="aso_fed_fig5_6").inputs["files"]
    assert len(runs) == 2
    assert not any("fitrec" in run for run in runs)
    assert plan.outputs.missing("aso_fed_fig5_6") is None


def test_a_scale_leaves_out_a_setting_under_one_change(project):
    change = "switching10-0.2-0.2+test_on=long-run"

    def edit(scale):
        scale.setdefault("left_out", {})[change] = "it takes too long"

    edit_yaml("config/papers/fed_react/scales/smoke.yaml", edit)
    plan = make_plan()
    cells = plan.outputs.cells("table02")
    skipped = {row: cell.skipped for (row, _), cell in cells.items()}
    assert skipped["RTD - 10 clients (Strategy 1), tested on the long run"] == "it takes too long"
    assert skipped["RTD - 10 clients (Strategy 1)"] is None
    # The ledger measures this alternative, too, and a claim is read under it.
    jobs = plan.experiments.workload("fed_react").jobs()
    assert change not in {setting for _, _, setting, _ in jobs}
    readings = {one.claim: [] for one in plan.claims.asked("fed_react")}
    for one in plan.claims.asked("fed_react"):
        readings[one.claim] += [c.at for c in one.contrasts if "long" in one.reading]
    assert readings["best-under-drift"]
    assert "RTD - 10 clients (Strategy 1)" not in readings["best-under-drift"]


def test_a_setting_that_is_left_out_is_known(project):
    def edit(scale):
        scale.setdefault("left_out", {})["nowhere+C=10.0"] = "it takes too long"

    edit_yaml("config/papers/fed_react/scales/smoke.yaml", edit)
    with pytest.raises(UserError, match="left_out: 'nowhere' is unknown"):
        make_plan()


def test_a_table_whose_cells_a_scale_leaves_out_is_none_of_its_targets(monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = make_plan(scale="quick")
    assert plan.targets()["table11"] == []
    assert plan.targets()["table01"] != []
    (said,) = plan.outputs.left_out(["table01", "table11"])
    assert said.startswith("Left out: table11: windows of rounds")
    assert make_plan(scale="overnight").targets()["table11"] != []


def test_vehicles_that_are_ready_need_no_sumo(project, monkeypatch):
    monkeypatch.setattr(sumo_ev, "find_spec", lambda name: None)
    ready = project / "results/smoke/data/sumo-ev.npz"
    ready.parent.mkdir(parents=True)
    ready.touch()
    assert make_plan(scale="smoke").outputs.left_out() == []


def test_a_file_that_is_missing_stops_only_what_needs_it(project):
    edit_yaml(EXPERIMENT, lambda c: c["partitions"]["clients100-beta1.0"].update(data="gestures"))
    plan = make_plan(scale="smoke")
    assert "table05" in plan.outputs.chosen(plan.tables)
    assert "table04" not in plan.outputs.chosen(plan.tables)
    (said,) = plan.outputs.left_out()
    assert "table04" in said
    assert "there is no dataset 'gestures'" in said
    assert "data/own/gestures.npz" in said
    # Its target has no files, so that others go on; the summary of the run names it.
    assert plan.targets()["table04"] == []
    (alone,) = plan.outputs.left_out(ending.targets(plan, {"table04", "table05"}))
    assert alone.startswith("Left out: table04: there is no dataset 'gestures'")
    assert plan.outputs.left_out(ending.targets(plan, {"table05"})) == []
    # Who asks for its file all the same is told so before anything is run, or its file is gone.
    with pytest.raises(UserError, match="table04: nothing of it can be built: there is no dataset"):
        plan.job("make_table", table="table04")
    assert plan.job("make_table", table="table05").inputs["scores"]
    layout = [
        CellSource(*place, "folder", cell.method.name, cell.skipped)
        for place, cell in plan.outputs.cells("table04").items()
    ]
    with pytest.raises(UserError, match="table04: nothing of it can be built: there is no dataset"):
        cells.build("table04", layout, cells.CellRules(["accuracy"]), {}, cells.read_scores([]), [])


def test_a_paper_of_which_nothing_can_be_made_is_not_silently_nothing(project):
    add_examples(project)
    (project / "data/own/gestures.npz").unlink()
    edit_yaml("config/papers/mine/tables.yaml", lambda c: [c.pop(n) for n in list(c)[1:]])
    edit_yaml(
        "config/papers/mine/tables.yaml",
        lambda c: [rows["rows"].clear() or rows["rows"].update(a="people") for rows in c.values()],
    )
    plan = make_plan(papers="mine")
    assert plan.outputs.chosen(plan.tables) == []
    assert plan.targets()["mine"] == []
    assert all(map(plan.outputs.missing, ending.targets(plan, {"mine"})))
    assert ending.nothing(plan, {"mine"}, 1) is None  # something else was asked for, too
    said = ending.nothing(plan, {"mine"}, 0)
    assert said.startswith("nothing can be built: ")
    assert "data/own/gestures.npz" in said


def test_tables_of_one_kind_of_data_are_a_target(monkeypatch):
    monkeypatch.chdir(ROOT)
    plan = make_plan(scale="smoke")
    targets = plan.targets()
    assert set(plan.files.table("table05")) <= set(targets["digits_tables"])
    assert set(plan.files.table("table06")) <= set(targets["sumo_tables"])
    for role in ("digits", "eeg", "sumo"):  # this is of all three
        assert not set(plan.files.table("table01")) & set(targets[f"{role}_tables"])


@pytest.mark.campaign
def test_tables_of_different_data_lie_beside_each_other(monkeypatch):
    monkeypatch.chdir(ROOT)
    given = {"scale": "smoke", "dataset": "auto", "eeg_dataset": "auto"}
    assert make_plan(**given).files.table("table05")[0] == "results/smoke/tables/table05.csv"
    (chosen,) = {
        name.partition("/tables/")[0]
        for name in make_plan(**given | {"dataset": "rtd"}).files.table("table05")
    }
    assert chosen == "results/smoke/on/rtd"
    assert results_of(Path(f"{chosen}/tables/table05.csv")) == Path("results/smoke")
    assert results_of(Path("results/smoke/tables/table05.csv")) == Path("results/smoke")
    # What they are made from is shared.
    files = make_plan(**given | {"dataset": "rtd"}).files
    assert files.dataset("rtd") == "results/smoke/data/rtd.npz"
    # Who names what is taken anyway has the same tables.
    named = {"dataset": make_plan(**given).datasets.of_role("digits")}
    assert make_plan(**given | named).files.outputs == "results/smoke"
    assert make_plan(scale="paper", dataset="rtd", eeg_dataset="auto").files.on == ""


def test_a_figure_of_tables_does_without_one_whose_rows_are_all_left_out(project):
    settings = [f"clusters{n}" for n in (4, 5, 6, 7)] + ["beta0.25", "beta0.5", "beta2.0"]

    def leave_out(scale):
        scale["left_out"] = dict.fromkeys(settings, "too long")

    edit_yaml("config/papers/fed_react/scales/smoke.yaml", leave_out)
    plan = make_plan()
    assert plan.outputs.missing("table03") == "too long"
    files = plan.job("make_figure", figure="published").inputs["files"]
    assert [Path(file).stem for file in files] == ["table02", "table05", "table09"]


def test_a_table_that_a_scale_leaves_out_is_no_target_and_says_why(project):
    edit_yaml(
        "config/papers/fed_react/scales/smoke.yaml",
        lambda c: c.update(tables_left_out={"factors_strategy3": "it is long"}),
    )
    plan = make_plan(scale="smoke")
    assert plan.outputs.left_out() == ["Left out: factors_strategy3: it is long."]
    cells = plan.experiments.cells("fed_react")
    assert not any(cell.skipped for cell in cells.table("factors_strategy2").values())
    edit_yaml(
        "config/papers/fed_react/scales/smoke.yaml",
        lambda c: c.update(tables_left_out={"factors_strategy4": "it is long"}),
    )
    assert "smoke.yaml: tables_left_out: 'factors_strategy4' is unknown" in refused()
