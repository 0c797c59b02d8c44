"""Universes as the workflow asks for them."""

import json
import shutil
from types import SimpleNamespace

import pytest
from helpers import ROOT, edit_yaml, make_plan, refused

from fedreact.errors import UserError
from fedreact.multiverse.universe import Choice

PAPER, SETTING = "fed_react", "stationary10"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a copy of the configuration, and the project's code."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for name in ("src", "scripts"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)


def test_choices_are_those_that_the_ledger_varies(here):
    choices = {one.name: one for one in make_plan().multiverse.choices(PAPER)}
    assert choices["clustered.C"] == Choice("clustered.C", (0.1, 1.0, 10.0), 1)
    assert len(choices) > 12
    edit_yaml(
        f"config/papers/{PAPER}/ledger.yaml",
        lambda c: c["affect-first-alpha"].update(
            varied={"clustered.affect_first_alpha": ["before", "zero"]}
        ),
    )
    again = {one.name for one in make_plan().multiverse.choices(PAPER)}
    assert again - set(choices) == {"clustered.affect_first_alpha"}


def test_a_universe_changes_runs_methods_and_encoders(here):
    plan = make_plan(scale="quick")
    universes = plan.multiverse.universes(PAPER, SETTING)
    assert [one["number"] for one in universes] == list(range(200))
    assert {one["seed"] for one in universes} == {0, 1, 2, 3, 4}
    assert {one["options"].get("C", 1.0) for one in universes} == {0.1, 1.0, 10.0}
    assert {one["options"]["rounds"] for one in universes} == {20}
    steps = {one["methods"]["ifca"]["steps"] for one in universes}
    assert steps == {1, 3, 10, 30, 100}
    for one in universes:
        methods = one["methods"]
        assert methods["ifca"]["steps"] == methods["flacc"]["steps"] == methods["ec-mma"]["steps"]
        assert one["partition"].endswith(f"/seed{one['seed']}.npz")
    features = {one["features"] for one in universes}
    assert len(features) == 4  # three trained, one untrained
    assert sum("encoder.rounds=0" in file for file in features) == 1


def test_jobs_have_fifty_universes_and_all_their_files(here):
    plan = make_plan(scale="quick")
    assert list(plan.multiverse.parts(PAPER, SETTING)) == [0, 1, 2, 3]
    w = SimpleNamespace(paper=PAPER, setting=SETTING, part="3")
    words = plan.multiverse.words(w)
    universes = json.loads(words[words.index("--universes") + 1])
    assert [one["number"] for one in universes] == list(range(150, 200))
    inputs = plan.multiverse.inputs(w)
    assert {one["features"] for one in universes} < set(inputs)
    assert len(inputs) == len(set(inputs))


def test_claims_are_pairs_of_methods_on_each_setting(here):
    shown = json.loads(make_plan(scale="quick").multiverse.shown(PAPER))
    (one,) = [of for of in shown["claims"] if of["claim"] == "a1-beats-clustered-stationary"]
    assert one["pairs"] == [["fed-react-a1", name] for name in ("ifca", "flsc", "flacc")]
    assert one["published"] == pytest.approx((0.135 + 0.079 + 0.154) / 3)
    assert one["margin"] == pytest.approx(one["published"] / 4)


def test_a_paper_without_a_multiverse_has_none(here):
    plan = make_plan(papers="all")
    assert plan.multiverse.papers() == [PAPER]
    edit_yaml(f"config/papers/{PAPER}/multiverse.yaml", lambda c: c["claims"].append("nowhere"))
    plan = make_plan()
    with pytest.raises(UserError, match=r"multiverse.yaml: claims: 'nowhere' is unknown"):
        plan.multiverse.shown(PAPER)
    edit_yaml(f"config/papers/{PAPER}/multiverse.yaml", lambda c: c.update(metrics="accuracy"))
    assert "multiverse.yaml: unknown key metrics" in refused()
