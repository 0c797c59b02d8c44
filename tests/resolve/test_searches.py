"""Searches: their candidates, and the best options on each dataset, which tables take."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml
from helpers import ROOT, make_plan, refused, write_paper

from fedreact.cli import searching
from fedreact.errors import UserError
from fedreact.resolve import configuration

PAPER = "probe"
CHOSEN = f"config/papers/{PAPER}/chosen/smoke.yaml"
METHODS = {
    "synchronous": {"far": {"algorithm": "fedavg"}},
    "clustered": {"near": {"algorithm": "ifca"}},
}
SEARCH = {
    "title": "Accuracy on held-out train samples",
    "by_dataset": True,
    "seeds": [100],
    "settings": [{"setting": "digits", "validate": True}],
    "score": "last",
    "grids": {
        "far": {"learning_rate": [0.001, 0.01]},
        "near": {"C": [1.0, 10.0], "steps": [10, 1]},
        "near+encoder.rounds=0": {"C": [1.0]},
    },
}
TABLES = {
    "one": {
        "title": "A table",
        "rows": {"Digits": "digits"},
        "columns": {
            "Far": "far",
            "Near": "near",
            "Untrained": {"method": "near", "encoder.rounds": 0},
            "Few": {"method": "near", "options": {"steps": 3}},
        },
        "metrics": ["accuracy"],
    },
    "changed": {
        "title": "Another table",
        "rows": {"Digits, C of 5": {"setting": "digits", "C": 5.0}},
        "columns": {"Near": "near"},
        "metrics": ["accuracy"],
    },
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with the configuration, the project's code, and a paper with a search."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("src", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    setting = {"partition": "digits", "synchronous": {"rounds": 1, "steps": 1}, "clustered": {}}
    write_paper(
        PAPER,
        paper={"title": "A probe", "cite": "none"},
        partitions={
            "digits": {
                "data": "digits",
                "by": "dirichlet",
                "cluster_sizes": [1, 2],
                "beta": 1.5,
                "samples_per_client": 100,
            }
        },
        settings={"digits": setting},
        methods=METHODS,
        search={"options": SEARCH},
        tables=TABLES,
    )


def searched(plan):
    return plan.experiments.workload(PAPER).searches


def test_an_option_of_the_run_changes_the_setting_of_a_candidate(here):
    compared = searched(make_plan(papers=[PAPER])).compared("options")
    row = "digits+validate=true"
    assert list(compared) == [
        (row, name)
        for name in (
            "far+learning_rate=0.001",
            "far+learning_rate=0.01",
            "near+C=1.0+steps=10",
            "near+C=1.0+steps=1",
            "near+C=10.0+steps=10",
            "near+C=10.0+steps=1",
            "near, encoder.rounds=0+C=1.0",
        )
    ]
    cell = compared[row, "near+C=10.0+steps=1"]
    assert (cell.setting, cell.method.name) == ("digits+C=10.0+validate=true", "near+steps=1")
    assert cell.job.startswith("options-")
    assert "encoder.rounds=0" in compared[row, "near, encoder.rounds=0+C=1.0"].setting


def test_the_best_options_are_written_and_tables_take_them(here):
    plan = make_plan(papers=[PAPER])
    rows = [
        ("far", "far+learning_rate=0.001", 0.5),
        ("far", "far+learning_rate=0.01", 0.6),
        ("near", "near+C=10.0+steps=1", 0.9),
        ("near", "near+C=1.0+steps=10", 0.8),
        ("near, encoder.rounds=0", "near, encoder.rounds=0+C=1.0", 0.7),
    ]
    table = pd.DataFrame(rows, columns=["method", "variant", "digits+validate=true"])
    file, _ = plan.files.summary("searches", f"{PAPER}_options")
    Path(file).parent.mkdir(parents=True)
    table.assign(mean=table["digits+validate=true"]).to_csv(file, index=False)
    assert searching.targets(plan, PAPER) == [f"{PAPER}_options"]
    assert str(searching.write(plan, f"{PAPER}_options")) == CHOSEN
    assert yaml.safe_load(Path(CHOSEN).read_text()) == {
        "air-writing-sim": {
            "far": {"learning_rate": 0.01},
            "near": {"C": 10.0, "steps": 1},
            "near+encoder.rounds=0": {"C": 1.0},
        }
    }

    workload = make_plan(papers=[PAPER]).experiments.workload(PAPER)
    cells = workload.cells.table("one")

    def options(row, column):
        cell = cells[row, column]
        return cell.setting, dict(cell.method.options), dict(cell.method.of_run)

    assert options("Digits", "Far") == ("digits", {}, {"learning_rate": 0.01})
    assert options("Digits", "Near") == ("digits+C=10.0", {"steps": 1}, {})
    assert options("Digits", "Untrained") == ("digits+encoder.rounds=0", {}, {})
    assert options("Digits", "Few") == ("digits+C=10.0", {"steps": 3}, {})  # what it says stays
    # No search was made of a setting with changes of its own.
    cells = workload.cells.table("changed")
    assert options("Digits, C of 5", "Near") == ("digits+C=5.0", {}, {})


def test_other_scales_and_data_keep_their_options(here):
    Path(CHOSEN).parent.mkdir()
    Path(CHOSEN).write_text("pendigits: {far: {learning_rate: 0.5}}\n")
    cells = make_plan(papers=[PAPER]).experiments.workload(PAPER).cells.table("one")
    assert not cells["Digits", "Far"].method.of_run


def test_a_cell_says_where_its_searched_option_is_written(here):
    Path(CHOSEN).parent.mkdir()
    Path(CHOSEN).write_text(
        "air-writing-sim:\n  near:\n    C: 10.0\n    steps: 1\n  far: {learning_rate: 0.5}\n"
    )
    plan = make_plan(papers=[PAPER])
    for column, wanted in (("Near", (f"{CHOSEN}:3", f"{CHOSEN}:4")), ("Far", (f"{CHOSEN}:5",))):
        text = "\n".join(configuration.of_cell(plan, f"{PAPER}_one", "Digits", column))
        for place in wanted:
            assert place in text


def test_another_paper_may_take_the_options_that_were_searched(here):
    Path(CHOSEN).parent.mkdir()
    Path(CHOSEN).write_text("air-writing-sim: {far: {learning_rate: 0.5}}\n")
    rows = {"Digits": f"{PAPER}/digits"}
    table = {
        "title": "t",
        "rows": rows,
        "columns": {"Far": f"{PAPER}/far"},
        "metrics": ["accuracy"],
    }
    about = {"title": "A guest", "cite": "none"}
    for changes, rate in (({}, {}), ({"options_of": PAPER}, {"learning_rate": 0.5})):
        write_paper("guest", paper=about | changes, tables={"one": table})
        cells = make_plan(papers=["guest"]).experiments.workload("guest").cells.table("one")
        assert cells["Digits", "Far"].method.of_run == rate


def test_a_broken_file_of_options_is_one_clear_line(here):
    Path(CHOSEN).parent.mkdir()
    Path(CHOSEN).write_text("air-writing-sim: [far]\n")
    assert refused(papers=[PAPER]).startswith(f"{CHOSEN}: ")


def test_two_settings_on_one_dataset_are_refused(here):
    more = ["digits", {"setting": "digits", "rounds": 2}]
    write_paper(PAPER, search={"options": SEARCH | {"settings": more}})
    with pytest.raises(UserError, match="two settings are on one dataset"):
        searched(make_plan(papers=[PAPER])).by_dataset("options")


def test_a_paper_without_such_a_search_is_refused(here):
    with pytest.raises(UserError, match="no search has by_dataset: true"):
        searching.targets(make_plan(), "fed_react")
