"""FedST at scale smoke, on the data that can be had: the watch always, the rest from a mirror."""

import os
import shutil

import pandas as pd
import pytest
from helpers import SMOKE, check_claims, command, owners_of_smoke, planned, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.campaign, pytest.mark.rare]

MIRROR = bool(os.environ.get("FEDREACT_DATA_MIRROR"))
TABLES = [*(f"table0{i}" for i in range(1, 5)), "splits", "choices"]
FIGURES = ["fig05", "fig06", "adaption", "traffic"]


@pytest.fixture(scope="module")
def project(built, tmp_path_factory):
    """The built project after ``snakemake fedst``."""
    copy = tmp_path_factory.mktemp("fedst") / "project"
    shutil.copytree(built, copy)
    snakemake("--cores", "2", "fedst", *SMOKE, cwd=copy, timeout=2400)
    return copy


def read(project, name):
    return pd.read_csv(project / f"results/smoke/tables/fedst_{name}.csv")


def test_all_outputs_are_there_and_nothing_is_left_to_do(project):
    results = project / "results/smoke"
    for name in TABLES:
        for suffix in (".csv", ".tex", ".md"):
            assert (results / f"tables/fedst_{name}{suffix}").stat().st_size > 0
    for name in FIGURES:
        assert (results / f"figures/fedst_{name}.png").stat().st_size > 0
    check_claims(project, "fedst")
    assert planned("fedst", *SMOKE, cwd=project) == {}


def test_owners_are_as_many_as_the_registry_says(project):
    found = owners_of_smoke(project)
    assert found.keys() >= {"watch"}
    assert all(there == said for there, said in found.values()), found


def test_rows_of_missing_data_are_left_out_with_the_reason(project):
    table = read(project, "table02")
    there = table[table["n_seeds"] > 0]
    rows = {row.split(" [")[0] for row in there["row"]}
    assert {"Watch 20", "Watch 40"} <= rows
    assert ({"HAR 30", "HHAR 9", "WISDM 60", "Epilepsy 200"} <= rows) == MIRROR
    assert not any(row.startswith("Sleep-EDF") for row in rows)
    text = (project / "results/smoke/tables/fedst_table02.md").read_text()
    assert "sleep-edf cannot be downloaded now" in text
    assert "FLAMES2Graph is not rebuilt" in text


def test_methods_of_a_row_have_the_same_clients_and_are_scored_twice(project):
    natural, synthetic = (read(project, name) for name in ("table02", "table04"))
    cells = [t[(t["row"] == "Watch 20") & (t["n_seeds"] > 0)] for t in (natural, synthetic)]
    own = cells[0][cells[0]["metric"] == "accuracy"].set_index("column")["mean"]
    others = cells[1][cells[1]["metric"] == "accuracy@another_client"].set_index("column")["mean"]
    assert set(own.index) == set(others.index)
    assert own.between(0, 1).all()
    assert others.between(0, 1).all()
    assert own["Most frequent label"] < own["Fed-REACT's encoder, own SVM"]
    sent = cells[0][cells[0]["metric"] == "bytes"].set_index("column")["mean"]
    assert sent["Alone"] == 0
    assert sent["FedProto"] < sent["FedST"] < sent["FedBN"] < sent["FedAvg"]


def test_counts_are_those_of_the_data(project):
    table = read(project, "table01").set_index(["row", "metric"])["mean"]
    assert table["Watch", "n_train"] + table["Watch", "n_test"] == 1833
    assert table["Watch", "n_clients"] == 20
    assert table["Watch", "n_labels"] == 7


def test_a_person_runs_it_on_an_own_dataset_by_lines_of_config(project):
    printed, status = command("python", "examples/make_gestures.py", cwd=project)
    assert status == 0, printed
    paper = project / "config/papers/mine"
    paper.mkdir()
    (paper / "paper.yaml").write_text("title: Mine\ncite: mine\n")
    (paper / "experiment.yaml").write_text(
        "partitions:\n"
        "  people: {data: gestures, by: owner, split: random, test_share: 0.2}\n"
        "settings:\n"
        "  people: {partition: people, synchronous: {architecture: cnn-small, rounds: 2, steps: 2, "
        "exchange: true, score: last}}\n"
    )
    (paper / "tables.yaml").write_text(
        "own:\n  title: Accuracy by method\n  rows: {People: people}\n"
        "  columns: {FedAvg: fedst/fedavg, FedST: fedst/fedst}\n  score: last\n"
        "  metrics: [accuracy, accuracy@another_client]\n"
    )
    snakemake("--cores", "2", "mine_own", *SMOKE, cwd=project)
    table = pd.read_csv(project / "results/smoke/tables/mine_own.csv")
    assert (table["n_seeds"] > 0).all()
    assert set(table["metric"]) == {"accuracy", "accuracy@another_client"}
