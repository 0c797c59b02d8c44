"""Which dataset stands for a role: real before simulated, and never another than was used."""

import os
from pathlib import Path

import pytest
from helpers import BASE, make_plan, refused

from fedreact.resolve.plan import Plan


@pytest.fixture(autouse=True)
def no_mirror(project, monkeypatch):
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)


def digits(**changes):
    return make_plan(**{"dataset": "auto"} | changes).datasets.of_role("digits")


def eeg(**changes):
    return make_plan(**{"eeg_dataset": "auto"} | changes).datasets.of_role("eeg")


def touch(*paths):
    for path in paths:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch()


@pytest.mark.campaign
def test_digits_fall_back_in_order(monkeypatch):
    assert digits() == "air-writing-sim"
    touch("mirror/pendigits-orig/pendigits-orig.tra", "mirror/pendigits-orig/pendigits-orig.tes")
    assert digits() == "air-writing-sim"
    assert digits(data_mirror="mirror") == "pendigits"
    assert digits(data_mirror=["none", "mirror"]) == "pendigits"
    monkeypatch.setenv("FEDREACT_DATA_MIRROR", os.pathsep.join(["none", "mirror"]))
    assert digits() == "pendigits"
    touch("data/rtd/features")
    assert "found features, but not all of rtd; rtd: labels not found" in refused(dataset="auto")
    touch("data/rtd/labels.pkl")
    assert digits() == "rtd"
    assert digits(dataset="air-writing-sim") == "air-writing-sim"


@pytest.mark.parametrize(
    ("stated", "folders"),
    [
        (None, ("c", "d")),
        ([], ("c", "d")),
        ("a", ("a",)),
        (["a", "b"], ("a", "b")),
    ],
)
def test_mirrors_of_the_configuration_come_before_those_of_the_environment(
    stated, folders, monkeypatch
):
    told = dict(os.environ, FEDREACT_DATA_MIRROR=os.pathsep.join(["c", "d"]))
    monkeypatch.setattr(os, "environ", told)
    plan = make_plan(data_mirror=stated)
    assert plan.datasets.mirrors == tuple(map(Path, folders))
    plan.export()  # for the steps
    assert os.environ["FEDREACT_DATA_MIRROR"] == os.pathsep.join(folders)


@pytest.mark.parametrize("stated", [f"a{os.pathsep}b", ["a", f"b{os.pathsep}"], [""]])
def test_a_mirror_that_the_environment_cannot_name_is_refused(stated):
    assert "config: data_mirror: " in refused(data_mirror=stated)


@pytest.mark.campaign
def test_data_that_was_prepared_is_not_replaced_by_simulated():
    for name in ("air-writing-sim", "pendigits", "rtd"):
        touch(f"results/smoke/data/{name}.npz")
        assert digits() == name


@pytest.mark.campaign
def test_eeg_is_recorded_where_it_can_be_had():
    assert eeg() == "eeg-sim"
    touch("data/eegmmidb/S001/S001R04.edf")
    assert eeg() == "eegmmidb"  # scale smoke wants this file alone
    assert eeg(scale="quick") == "eeg-sim"


def test_scale_paper_takes_the_papers_data_and_never_another():
    assert digits(scale="paper") == "rtd"
    assert eeg(scale="paper") == "eegmmidb"
    assert digits(scale="paper", dataset="pendigits") == "pendigits"


@pytest.mark.campaign
def test_a_scale_says_how_much_is_taken():
    plan = make_plan(scale="quick")
    words = plan.job("prepare_data", dataset="eegmmidb").words
    said = words[words.index("--options") + 1 : words.index("--registry")]
    assert said == ("subjects=1", "runs=3,4,7,8,11,12")
    plan = make_plan(scale="paper")
    assert plan.datasets.source("eegmmidb").runs == (4, 8, 12)
    assert "--options" not in plan.job("prepare_data", dataset="rtd").words
    plan = make_plan()
    assert plan.datasets.options("eeg-sim") == {"n_subjects": 2, "n_trials": 15}
    assert plan.datasets.options("pendigits") == {"per_label": 60}
    words = plan.job("prepare_data", dataset="pendigits").words
    assert words[words.index("--registry") + 1] == "config/datasets.yaml"


def test_a_dataset_may_be_changed_by_its_name_in_a_path():
    plan = make_plan()
    assert plan.datasets.options("pendigits+per_label=7") == {"per_label": 7}
    assert plan.datasets.task("pendigits+per_label=7").outputs == 10


def test_placed_files_are_told_apart_by_content():
    Path("data/rtd").mkdir(parents=True)
    digests = set()
    for content in (b"a", b"b"):
        Path("data/rtd/features").write_bytes(content)
        Path("data/rtd/labels").write_bytes(b"same")
        digests.add(Plan(BASE).datasets.raw_digest("rtd"))
    assert len(digests) == 2
    assert Plan(BASE).datasets.raw_digest("pendigits") is None


def test_what_steps_are_told_says_the_same_data_again(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    plan = make_plan(dataset="auto", eeg_dataset="auto")
    chosen = plan.chosen_config()
    assert (chosen["dataset"], chosen["eeg_dataset"]) == ("air-writing-sim", "eeg-sim")
    assert make_plan(**chosen).chosen_config() == chosen
