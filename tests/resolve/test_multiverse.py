"""Universes as the workflow asks for them."""

import json
import shutil
from collections import Counter
from pathlib import Path

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


@pytest.mark.campaign
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


@pytest.mark.campaign
def test_values_beyond_a_bound_of_the_scale_are_not_drawn(here):
    def rounds(scale):
        choices = make_plan(scale=scale).multiverse.choices(PAPER)
        return [one.values for one in choices if one.name == "clustered.rounds"]

    assert rounds("quick") == []  # of 20, 60 and 200 one is left, which is no choice
    assert rounds("overnight") == [(20, 60)]
    assert rounds("paper") == [(20, 60, 200)]


def folder(file):
    """Name of the folder of a partition, with a digest of what is changed in it."""
    return Path(file).parent.name


def test_a_universe_changes_runs_methods_and_encoders(here):
    plan = make_plan(scale="quick")
    universes = plan.multiverse.universes(PAPER, "drawn", SETTING)
    assert [one["number"] for one in universes] == list(range(150))
    assert {one["seed"] for one in universes} == {0, 1, 2, 3}
    assert {one["options"].get("C", 1.0) for one in universes} == {0.1, 1.0, 10.0}
    assert {one["options"]["rounds"] for one in universes} == {20}  # the most at this scale
    assert {one["last"] for one in universes} == {True, False}
    steps = {one["methods"]["ifca"]["steps"] for one in universes}
    assert steps == {1, 3, 10, 30, 100}
    for one in universes:
        methods = one["methods"]
        assert methods["ifca"]["steps"] == methods["flacc"]["steps"] == methods["ec-mma"]["steps"]
        assert one["partition"].endswith(f"/seed{one['seed']}.npz")
    halves = Counter(folder(one["partition"]) for one in universes)
    assert sorted(halves.values()) == [75, 75]  # tested by client, or by cluster
    features = {one["features"] for one in universes}
    assert len(features) == 7  # five trained, one trained for two rounds, one untrained


def test_partitions_without_a_choice_are_not_varied(here):
    universes = make_plan(scale="quick").multiverse.universes(PAPER, "drawn", "switching10-0.2-0.2")
    assert len({folder(one["partition"]) for one in universes}) == 1


def test_a_tuned_universe_lets_each_method_choose_on_other_samples(here):
    multiverse = make_plan(scale="quick").multiverse
    drawn = multiverse.universes(PAPER, "drawn", SETTING)
    tuned = multiverse.universes(PAPER, "tuned", SETTING)
    assert len(tuned) == 16
    for one, same in zip(tuned, drawn):
        assert (one["options"], one["features"]) == (same["options"], same["features"])
        assert "methods" not in one
        validation = one["validation"]
        assert validation["seed"] in (100, 101, 102)
        assert validation["partition"].endswith(f"/seed{validation['seed']}.npz")
        assert validation["options"] == one["options"] | {"validate": True}
        candidates = one["candidates"]
        assert set(candidates["ifca"][0]) == {"steps", "learning_rate", "start"}
        assert "local" not in candidates["ifca"][0]
        assert set(candidates["fed-react-a1"][0]) == {"steps", "learning_rate", "local"}
        assert "local" not in candidates
        assert all(2 < len(some) <= 12 for some in candidates.values())


def test_few_options_are_all_candidates(here):
    edit_yaml(
        f"config/papers/{PAPER}/ledger.yaml",
        lambda c: c["flsc-memberships"].update(varied={"methods.local-a1.x": [1, 2]}),
    )
    assert make_plan().multiverse.candidates(PAPER, "local-a1") == [{"x": 1}, {"x": 2}]


def test_jobs_have_some_universes_and_all_their_files(here):
    plan = make_plan(scale="quick")
    scores = plan.job("multiverse_sum", paper=PAPER).inputs["scores"]
    for view, n in (("drawn", 3), ("tuned", 2)):
        files = [plan.files.universes(PAPER, view, SETTING, part) for part in range(n)]
        assert [file for file in scores if f"/{view}/{SETTING}/" in file] == files
    drawn = plan.job("multiverse_part", paper=PAPER, view="drawn", setting=SETTING, part="2")
    universes = json.loads(drawn.words[drawn.words.index("--universes") + 1])
    assert [one["number"] for one in universes] == list(range(100, 150))
    assert {one["features"] for one in universes} < set(drawn.files)
    assert len(drawn.files) == len(set(drawn.files))
    tuned = plan.job("multiverse_part", paper=PAPER, view="tuned", setting=SETTING, part="1")
    assert any("seed102" in file for file in tuned.files)


def test_claims_are_pairs_of_methods_on_each_setting(here):
    asked = make_plan(scale="quick").multiverse.asked(PAPER)
    (one,) = [x for x in asked["claims"] if x["claim"] == "a1-beats-clustered-stationary"]
    assert one["pairs"] == [("fed-react-a1", name) for name in ("ifca", "flsc", "flacc")]
    assert one["published"] == pytest.approx((0.135 + 0.079 + 0.154) / 3)
    assert one["margin"] == pytest.approx(one["published"] / 4)


def test_cells_are_what_the_paper_prints_of_universes(here):
    cells = make_plan(scale="quick").multiverse.asked(PAPER)["cells"]
    place = {"table": "table05", "setting": SETTING, "method": "fed-react-a1"}
    assert {**place, "value": 0.909} in cells
    assert {cell["table"] for cell in cells} == {"table02", "table05", "iclr_table02"}


def test_another_kind_of_run_has_its_multiverse_by_entries_alone(here):
    plan = make_plan(papers=["aso_fed"], scale="quick")
    (one, *_) = universes = plan.multiverse.universes("aso_fed", "drawn", "air")
    assert "features" not in one
    assert one["last"]
    assert {u["methods"]["aso-fed"]["features"] for u in universes} == {
        *("sent", "scaled", "literal", "none")
    }
    assert {u["options"].get("redrawn", False) for u in universes} == {False, True}
    (claim,) = plan.multiverse.asked("aso_fed")["claims"]
    assert claim["sign"] == -1
    assert ("aso-fed", "fedavg") in claim["pairs"]


def test_a_default_that_is_no_value_of_its_choice_is_none(here):
    by_label = {one.name: one for one in make_plan().multiverse.choices(PAPER)}
    assert by_label["clustered.C"].default == 1
    assert by_label["encoder"].default is None


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"over": "stepps"}, "over: 'stepps' is unknown"),
        ({"nearest": "table55"}, "nearest: 'table55' is unknown"),
        ({"claims": ["nowhere"]}, "claims: 'nowhere' is unknown"),
        ({"methods": ["ifka"]}, ".*'ifka' is unknown"),
        ({"settings": {"nowhere": {"quick": 2}}}, ".*'nowhere' is unknown"),
        ({"metric": "accurcy"}, ".*'accurcy' is unknown"),
        ({"kind": "clusterd"}, ".*'clusterd' is unknown"),
    ],
)
def test_a_wrong_name_is_one_line(here, changes, words):
    edit_yaml(f"config/papers/{PAPER}/multiverse.yaml", lambda c: c.update(changes))
    with pytest.raises(UserError, match=f"multiverse.yaml: {words}"):
        make_plan(scale="quick")


def test_a_wrong_value_of_a_choice_is_one_line(here):
    edit_yaml(
        f"config/papers/{PAPER}/ledger.yaml",
        lambda c: c["svm-C"].update(varied={"clustered.C": [1.0, -1.0]}),
    )
    with pytest.raises(UserError, match=r"multiverse.yaml: .*C"):
        make_plan(scale="quick")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seeds": [100, 2]}, "tables use the seed 2; choose others"),
        (
            {"settings": {"visiting100": {"quick": 3}}},
            "visiting100: 3 universes are more than the 0",
        ),
    ],
)
def test_options_are_chosen_on_other_samples_in_universes_that_are_drawn(here, changes, words):
    edit_yaml(f"config/papers/{PAPER}/multiverse.yaml", lambda c: c["tuned"].update(changes))
    with pytest.raises(UserError, match=f"multiverse.yaml: tuned: {words}"):
        make_plan(scale="quick")


def test_a_paper_without_a_multiverse_has_none(here):
    plan = make_plan(papers="all")
    assert plan.multiverse.papers() == [PAPER, "aso_fed"]
    edit_yaml(f"config/papers/{PAPER}/multiverse.yaml", lambda c: c.update(metrics="accuracy"))
    assert "multiverse.yaml: unknown key metrics" in refused()
