"""Commands that list what there is, and those on runs."""

import json

import pytest
from helpers import ROOT
from small_cli import call

from fedreact.cli import explaining, showing
from fedreact.errors import UserError
from fedreact.estimates import planning
from fedreact.reference import lists
from fedreact.workflow import built


@pytest.fixture(autouse=True)
def in_project(monkeypatch):
    monkeypatch.chdir(ROOT)


def test_all_methods_of_all_papers_are_listed():
    names = {entry.name for entry in lists.methods()}
    assert {"fedst/ditto", "fedst/fedprox", "fedst/apfl", "fed_react/ifca"} <= names
    status, printed, _ = call("methods")
    assert status == 0
    assert all(name in printed for name in names)


def test_methods_say_which_tasks_they_can_run_on():
    there = {entry.name: entry for entry in lists.methods()}
    assert there["fedst/fedst"].tasks == ("classification",)
    assert there["fedst/fedavg"].tasks == ("classification", "multi-label", "regression")
    assert all(entry.about and entry.source for entry in there.values())
    printed = call("methods", "--task", "regression", "--paper", "fedst", "--json")[1]
    listed = {entry["name"] for entry in json.loads(printed)}
    assert "fedst/fedavg" in listed
    assert "fedst/fedst" not in listed
    with pytest.raises(UserError, match=r"--paper 'fedts' is unknown; .*did you mean fedst"):
        call("methods", "--paper", "fedts")


def test_metrics_are_listed_with_subsets_and_reducers():
    printed = call("metrics")[1]
    for name in ("balanced_accuracy", "worst_fifth", "var", "rand"):
        assert name in printed
    there = json.loads(call("metrics", "--json")[1])
    assert set(there) == {"bases", "subsets", "reducers", "recorded"}


def test_options_are_listed():
    printed = call("options", "owner")[1]
    assert "min_samples = null" in printed
    assert json.loads(call("options", "owner", "--json")[1])[0]["name"] == "owner"


def test_a_plan_is_text_or_json(monkeypatch):
    job = {"rule": "train", "inputs": [], "outputs": ["a"], "cpu_hours": 0.5, "gpu_hours": 0.0}
    job |= {"memory_mb": 700.0, "megabytes": 2.0, "basis": "model"}
    planned = planning.Planned("smoke", "cpu", ["har"], {"a": job}, {"a": job}, {}, {"t": ["a"]})
    asked = []
    monkeypatch.setattr(planning, "plan", lambda *words: asked.append(words) or planned)
    words = ("plan", "table05", "--scale", "smoke", "--cores", "2")
    assert "Scale smoke, har, on cpu." in call(*words)[1]
    about = json.loads(call(*words, "--json")[1])
    assert (about["to_do"], about["cpu_hours"], about["jobs"][0]["rule"]) == (1, 0.5, "train")
    assert asked == [(("table05",), "smoke", 2, ())] * 2


def test_a_table_is_json(tmp_path, monkeypatch):
    csv = tmp_path / "t.csv"
    csv.write_text("table,row,mean,published\nt,a,0.5,\n")
    monkeypatch.setattr(built, "table", lambda name, scale: csv)
    cells = json.loads(call("show", "t", "--json")[1])
    assert cells == [{"table": "t", "row": "a", "mean": 0.5, "published": None}]
    with pytest.raises(UserError, match="--json needs a TABLE"):
        call("show", "--json")


def test_commands_on_runs_call_what_make_calls(monkeypatch):
    asked = []
    for module, name in (
        (showing, "of_table"),
        (showing, "of_cell"),
        (showing, "of_setting"),
        (explaining, "of_cell"),
    ):
        monkeypatch.setattr(module, name, lambda *a, name=name: asked.append((name, a)) or "said")
    for words in (
        ("show", "table05"),
        ("show", "--cell", "t/r/c"),
        ("show", "--setting", "s"),
        ("explain", "t/r/c", "--metric", "rand"),
    ):
        assert call(*words) == (0, "said\n", "")
    assert asked == [
        ("of_table", ("table05", "quick")),
        ("of_cell", ("t/r/c", "quick", False)),
        ("of_setting", ("s", "quick", None, None, False)),
        ("of_cell", ("t/r/c", "quick", "rand", False)),
    ]
