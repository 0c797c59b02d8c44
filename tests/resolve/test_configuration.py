"""What a user may say, and with which words everything else is refused."""

from dataclasses import replace
from pathlib import Path

import pytest
from helpers import SCALES, edit_yaml, make_plan, refused

PAPER = Path("config/papers/fed_react")


@pytest.mark.parametrize("scale", SCALES)
def test_the_project_itself_is_accepted(project, scale):
    assert make_plan(scale=scale, papers="all").scale == scale


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"scale": "huge"}, ["'huge' is unknown", ", ".join(SCALES)]),
        ({"dataset": "mnist"}, ["digits", "'mnist' is unknown", "pendigits", "data/own/<name>"]),
        ({"egg_dataset": "auto"}, ["'egg_dataset' is unknown", "eeg_dataset"]),
        ({"device": 7}, ["device", "7"]),
        ({"device": "gpu"}, ["device", "'gpu' is unknown", "auto, cpu, cuda"]),
        ({"dtaset": "rtd"}, ["unknown key dtaset", "known keys", "dataset"]),
        ({"papers": ["fed_raect"]}, ["papers", "'fed_raect' is unknown", "fed_react", "all"]),
        ({"papers": []}, ["papers", "wanted names or all"]),
    ],
)
def test_wrong_settings_of_the_user(project, change, words):
    text = refused(**change)
    assert all(word in text for word in words), text


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        (
            "experiment",
            lambda c: c["settings"]["stationary10"]["clustered"].update(linkeage="ward"),
            [
                "experiment.yaml: settings: stationary10",
                "unknown option linkeage of clustered",
                "linkage",
            ],
        ),
        (
            "experiment",
            lambda c: c["settings"]["stationary10"].update(clusterd={}),
            [
                "experiment.yaml: settings: stationary10",
                "'clusterd' is unknown",
                "clustered",
                "synchronous",
            ],
        ),
        (
            "experiment",
            lambda c: c["settings"]["full10-dtssgd"]["encoder"].update(rounds="ten"),
            ["full10-dtssgd", "rounds", "'ten'", "int"],
        ),
        (
            "experiment",
            lambda c: c["settings"]["stationary10"].update(partition="clients7"),
            ["'clients7' is unknown", "clients10-beta1.5"],
        ),
        (
            "experiment",
            lambda c: c["settings"]["visiting100"]["clustered"]["drift"].update(p01=0.5),
            ["visiting", "p01"],
        ),
        (
            "experiment",
            lambda c: c["partitions"]["clients10-beta1.5"].update(beta=0),
            ["experiment.yaml: partitions: clients10-beta1.5", "beta", "0"],
        ),
        (
            "experiment",
            lambda c: c["partitions"]["clients10-beta1.5"].update(cluster_sizes=[3, 0]),
            ["clients10-beta1.5", "cluster_sizes[1]"],
        ),
        (
            "experiment",
            lambda c: c["partitions"]["clients10-beta1.5"].pop("by"),
            ["clients10-beta1.5", "by: a partitioner is needed", "dirichlet"],
        ),
        (
            "experiment",
            lambda c: c["partitions"]["disjoint100"].update(beta=1.0),
            ["disjoint100", "unknown option beta of supports"],
        ),
        (
            "experiment",
            lambda c: c["methods"]["clustered"].update(fedprox={}),
            ["experiment.yaml: methods: clustered: fedprox", "'fedprox' is unknown", "fed-react"],
        ),
        (
            "experiment",
            lambda c: c["methods"]["clustered"]["ifca"].update(rate=1),
            ["clustered: ifca", "unknown option rate", "learning_rate"],
        ),
        ("experiment", lambda c: c["methods"].update(clusterd={}), ["clusterd is no kind of run"]),
        (
            "search",
            lambda c: c["search"]["grids"].update(ditto={"rate": [1]}),
            ["search.yaml: search", "'ditto' is unknown"],
        ),
        (
            "search",
            lambda c: c["search"]["grids"]["ifca"].update(rate=[1]),
            ["search.yaml: search", "'rate' is unknown"],
        ),
        (
            "figures",
            lambda c: c["fig10"]["settings"].update(extra="nowhere"),
            ["figures.yaml: fig10", "'nowhere'"],
        ),
        (
            "figures",
            lambda c: c["fig10"].update(kind="pie"),
            ["figures.yaml: fig10", "'pie' is unknown among figures", "own/figures/pie.py"],
        ),
        (
            "tables",
            lambda c: c["table05"]["rows"].update(extra="stationary1000"),
            ["tables.yaml: table05: extra", "'stationary1000'"],
        ),
        (
            "tables",
            lambda c: c["table05"].update(metrics=["accurcy"]),
            ["'accurcy' is unknown among metrics", "accuracy"],
        ),
        (
            "tables",
            lambda c: c["table05"]["rows"].update(x={"setting": "stationary10", "encodr": "gru"}),
            ["table05: x", "'encodr' is unknown"],
        ),
        (
            "tables",
            lambda c: c["table05"]["rows"].update(
                x={"setting": "stationary10", "encoder.encoder": "gruu"}
            ),
            ["'gruu' is unknown among", "table12", "own/models/encoders/gruu.py"],
        ),
        (
            "tables",
            lambda c: c["table12"].update(rows={"a": "stationary10"}),
            ["tables.yaml: table12: give rows and columns, and metrics, or a study"],
        ),
        (
            "ledger",
            lambda c: c["linkage"].update(measured_on=["nowhere"]),
            ["ledger.yaml: linkage", "'nowhere'"],
        ),
        (
            "ledger",
            lambda c: c["linkage"].update(set_in="src/fedreact/clustering/affect.py"),
            ["ledger.yaml: linkage", "affect.py, a file, cannot be run"],
        ),
        ("scales/smoke", lambda c: c.update(at_mots={}), ["scales/smoke.yaml", "at_mots"]),
        (
            "scales/smoke",
            lambda c: c["settings"].update(full11={}),
            ["scales/smoke.yaml", "'full11' is unknown"],
        ),
        (
            "scales/smoke",
            lambda c: c["defaults"]["encoder"].update(steps=0),
            ["scales/smoke.yaml", "encoder", "steps"],
        ),
        ("paper", lambda c: c.pop("title"), ["paper.yaml", "title is missing"]),
    ],
)
def test_wrong_files_of_a_paper(project, file, change, words):
    edit_yaml(PAPER / f"{file}.yaml", change)
    text = refused()
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": [1, 1]}, ["scales/smoke.yaml", "seeds"]),
        ({"seeds": []}, ["scales/smoke.yaml", "seeds"]),
        ({"minutes": {"encoder": 3}}, ["scales/smoke.yaml", "minutes", "default"]),
        ({"datasets": {"digits": "rdt"}}, ["'rdt' is unknown"]),
        ({"like": "papre"}, ["scales/smoke.yaml", "like: 'papre' is unknown", "paper"]),
    ],
)
def test_wrong_scales(project, change, words):
    edit_yaml("config/scales/smoke.yaml", lambda c: c.update(change))
    text = refused(dataset="auto")
    assert all(word in text for word in words), text


@pytest.mark.campaign
def test_a_scale_can_be_like_another(project):
    edit_yaml("config/scales/smoke.yaml", lambda c: c.update(like="quick"))
    quick, smoke = PAPER / "scales/quick.yaml", PAPER / "scales/smoke.yaml"
    smoke.write_text("differences: [hardly anything]\n")
    of_quick = make_plan(scale="quick").settings.paper("fed_react").scale
    like = make_plan().settings.paper("fed_react").scale
    assert like.differences == ("hardly anything",)
    assert replace(like, differences=of_quick.differences) == of_quick
    smoke.unlink()
    assert make_plan().settings.paper("fed_react").scale == of_quick
    edit_yaml(quick, lambda c: c.update(at_mots={}))
    assert f"{quick}: unknown key at_mots" in refused()


@pytest.mark.campaign
def test_a_scale_takes_as_much_data_as_the_one_that_it_is_like(project):
    weekend, paper = make_plan(scale="weekend").datasets, make_plan(scale="paper").datasets
    assert paper.options("fitrec")["people"][:3] == (0, 2, 3)  # of 50, those that have enough
    for name in paper.registry:
        assert weekend.options(name) == paper.options(name)
        assert weekend.owners(name) == paper.owners(name)
    edit_yaml("config/datasets.yaml", lambda c: c["rtd"]["scales"].update(weekend={"per_label": 9}))
    edit_yaml(
        "config/papers/aso_fed/datasets.yaml",
        lambda c: c["fitrec"]["scales"].update(weekend={"people": [0]}),
    )
    weekend = make_plan(scale="weekend").datasets
    assert weekend.options("rtd") == {"per_label": 9}
    assert weekend.owners("fitrec") is None  # not those of paper's people


def test_what_a_scale_shortens_is_said_with_what_it_is_of(project):
    said = make_plan(scale="quick").settings.paper("fed_react").scale.all_differences
    assert "eeg: one recorded person or 8 simulated ones, 100 crops per client" in said
    assert any(text.startswith("full10, full50, eeg10-full, sumo50: all columns") for text in said)


def test_options_of_a_dataset_at_a_scale(project):
    edit_yaml(
        "config/datasets.yaml", lambda c: c["eegmmidb"]["scales"]["smoke"].update(subjects=[1, 110])
    )
    text = refused(eeg_dataset="eegmmidb")
    assert "eegmmidb at scale smoke" in text
    assert "subject 110" in text


@pytest.mark.parametrize("file", ["tables", "experiment", "scales/smoke", "published/table05"])
def test_broken_yaml_names_file_and_line(project, file):
    path = PAPER / f"{file}.yaml"
    path.write_text("partition:\n  a: [1, 2\n")
    if not file.startswith("published"):
        assert f"{path}, line 3" in refused()


def test_two_targets_of_one_name(project):
    edit_yaml(PAPER / "figures.yaml", lambda c: c.update(table05=c["fig01"]))
    assert "two targets of the name 'table05'" in refused()
