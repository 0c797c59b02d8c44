"""Everything built at scale smoke: tables, figures, the report, and where cells came from."""

import json
import os
import re

import pandas as pd
import pytest
from helpers import ROOT, SMOKE, VERBOSE, command, digits, planned, snakemake
from second_opinion import cells, claims, differing, references

from fedreact.resolve.files import folder_of

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

TABLES = [
    *(f"table{i:02}" for i in range(1, 12)),
    "table01_short",
    *(f"iclr_table{i:02}" for i in range(1, 6)),
    "sumo_constant",
    "sumo_splits",
    "phase1",
    "clients",
    *(["people", "air_writing"] if os.environ.get("FEDREACT_DATA_MIRROR") else []),
]
FIGURES = [f"fig{i:02}" for i in range(1, 13)] + [
    *(f"iclr_fig{i:02}" for i in (1, 2, 3)),
    *("clustering_gain", "abrupt", "gossip", "gossip_rand"),
    "clients_stationary",
    "clients_migration",
    *(["people_labels"] if os.environ.get("FEDREACT_DATA_MIRROR") else []),
    *("gain_over_alone", "accuracy_rounds", "pareto", "published"),
    "compute",
    "phase1_steps",
    "traffic",
    "digits_of_writers",
    *(["air_digits_of_people"] if os.environ.get("FEDREACT_DATA_MIRROR") else []),
    "eeg_trial",
    "theorem1",
    "sumo_clusters",
    "sumo_silhouette",
    "sumo_thermometer",
    "sumo_trip",
]


def read(built, name):
    return pd.read_csv(built / f"results/smoke/tables/{name}.csv")


def test_all_files_are_there(built):
    results = built / "results/smoke"
    for name in [*TABLES, "table12", "communication"]:
        for suffix in (".csv", ".tex", ".md"):
            assert (results / f"tables/{name}{suffix}").stat().st_size > 0
    for name in FIGURES:
        for suffix in (".pdf", ".png"):
            assert (results / f"figures/{name}{suffix}").stat().st_size > 0
    page = (results / "report.html").read_text()
    assert page.count("<img") == len(FIGURES)
    assert "RTD - 100 clients (Stationary)" in page
    assert (results / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_no_temporary_files_or_checkpoints_are_left(built):
    left = [p.name for p in (built / "results").rglob("*") if p.name.endswith(".part")]
    assert left == []
    assert not list((built / "results/smoke/checkpoints").rglob("*.npz"))


@pytest.mark.parametrize("name", TABLES)
def test_cells_are_whole(built, name):
    table = read(built, name)
    rebuilt = table[table["n_seeds"] > 0]
    assert len(rebuilt) > 0
    shares = rebuilt[rebuilt["metric"].isin(["accuracy", "rand", "accuracy@worst_cluster"])]
    assert shares["mean"].between(0, 1).all()
    assert (rebuilt["mean"] >= 0).all()
    several = rebuilt[rebuilt["n_seeds"] > 1]
    assert (several["ci_low"] <= several["mean"]).all()
    assert (several["mean"] <= several["ci_high"]).all()
    assert not table.duplicated(["row", "column", "metric"]).any()
    rand = rebuilt[(rebuilt["metric"] == "rand") & (rebuilt["column"] == "Oracle")]
    assert (rand["mean"] == 1).all()


def test_costs(built):
    table = read(built, "table12").set_index(["row", "column"])
    parameters = table.loc["Number of Parameters (K)"]
    assert parameters["mean"].tolist() == pytest.approx([156.59, 398.346, 131.05, 89.13, 89.13])
    assert parameters["verdict"]["LSTM"] == "reproduced"  # the others' sizes come from the counts
    assert (table["mean"] > 0).all()
    ways = read(built, "communication").set_index("row")["mean"]
    # 3,210 weights of 4 bytes; IFCA sends those of 3 clusters.
    assert ways.filter(like="IFCA").tolist() == pytest.approx([3 * 12.84, 12.84])


def test_table_1_has_every_baseline_and_tuning_changes_them_only(built):
    table = read(built, "table01").set_index(["row", "column"])
    by_metric = {metric: part["mean"].unstack() for metric, part in table.groupby("metric")}
    accuracy = by_metric["accuracy"]
    assert accuracy.shape == (4, 20)
    assert by_metric["rmse"].shape == (1, 20)
    for metric in ("steps", "gflops"):
        assert by_metric[metric].shape == (5, 20)
    assert all(part.notna().all().all() for part in by_metric.values())
    for row, of_row in by_metric["gflops"].iterrows():
        same = of_row.drop("Untrained encoder")
        middle = (same.max() + same.min()) / 2
        assert same.tolist() == pytest.approx([middle] * len(same), rel=0.1), row
        assert of_row["Untrained encoder"] < same.min()
    ten, tuned = (accuracy.loc[f"RTD 10 clients{end}"] for end in (" (acc)", ", baselines tuned"))
    assert ten["Fed-REACT"] == tuned["Fed-REACT"]
    assert (ten != tuned).any()


def test_participation_and_drift_change_the_scores(built):
    def scores(setting):
        path = digits(built) / setting / "all/seed0.csv"
        return pd.read_csv(path).query("method == 'oracle-a1'")["accuracy"]

    assert scores("participation0.33").tolist() != scores("participation0.5").tolist()
    assert scores("visiting100").tolist() != scores("migration100").tolist()


def test_table05(built):
    table = read(built, "table05")
    accuracy = table[table["metric"] == "accuracy"]
    assert len(accuracy) == 3 * 16
    assert len(table) == 3 * 16 + 3 * 15  # FLSC has no Rand score
    assert (accuracy["n_seeds"] == 2).all()
    assert (accuracy["verdict"] == "not-comparable").all()
    published = accuracy.set_index(["row", "column"])["published"]
    assert published["RTD - 10 clients (Stationary)", "Fed-REACT w/ A2"] == 0.928
    assert set(table["data"]) == {digits(built).name}


def test_rows_say_which_data_they_are_of(built):
    table = read(built, "table01").set_index("row")["data"]
    mirrored = os.environ.get("FEDREACT_DATA_MIRROR")
    assert set(table["EEG 10 clients (acc)"]) == {"eegmmidb" if mirrored else "eeg-sim"}
    assert set(table["SUMO EV (RMSE)"]) == {"sumo-ev"}
    table = read(built, "table02").set_index(["row", "metric"])
    assert {"accuracy", "rand", "accuracy@worst_cluster"} == set(
        table.loc["EEG - 10 clients"].index
    )


def test_personal_regressors_beat_one_for_all_vehicles(built):
    splits, constant = (
        read(built, name).set_index(["row", "column"])["mean"].unstack()
        for name in ("sumo_splits", "sumo_constant")
    )
    assert (splits["C = 50"] < splits["C = 1"]).all()
    assert (constant["Each vehicle its own"] < constant["One value for all vehicles"]).all()


def test_each_table_says_where_its_cells_came_from(built):
    results = built / "results/smoke"
    for name in [*TABLES, "table12", "communication"]:
        table = read(built, name)
        origins = json.loads((results / f"tables/{name}.provenance.json").read_text())
        assert [cell["row"] for cell in origins["cells"]] == table["row"].tolist()
        assert all(record["outputs"] for record in origins["records"].values()), name
        for cell in origins["cells"]:
            assert len(cell.get("values", "x")) == max(cell["n_seeds"], 1)


def test_numbers_of_a_kept_run_come_out_again_from_its_values(built, tmp_path):
    words = ["python", "scripts/keep_reference.py", "results/smoke", "--references", tmp_path]
    printed, status = command(*map(str, words), cwd=built)
    assert status == 0, printed
    folder = tmp_path / "smoke/fed_react"
    for numbers in (cells(folder, references(ROOT / "config/papers/fed_react")), claims(folder)):
        n, wrong = differing(numbers)
        assert n > 100
        assert wrong == []


def test_a_cell_is_explained_and_rebuilt_by_the_command_that_it_names(copy):
    csv = "results/smoke/tables/table05.csv"
    words = ["python", "scripts/explain_cell.py", csv, "10 clients", "w/ A2"]
    printed, status = command(*words, cwd=copy)
    assert status == 0, printed
    assert "published   0.928, Fed-REACT (arXiv 2509.07198), Table 5, appendix G" in printed
    folder = digits(copy)
    scores = (folder / "stationary10/all/seed1.csv").relative_to(copy)
    for path in (scores, f"results/smoke/data/{folder.name}.npz"):
        assert f"{path}  sha256 " in printed
    assert "(as now)" in printed
    assert "changed since" not in printed
    assert "no record" not in printed
    assert "torch 2" in printed

    printed, status = command(*words, "--json", cwd=copy)
    rebuild = json.loads(printed)["rebuild"].split()
    before = {path: path.read_bytes() for path in (folder / "stationary10/all").glob("*.csv")}
    before[copy / csv] = (copy / csv).read_bytes()
    times = {path: path.stat().st_mtime for path in before}
    printed = snakemake(*rebuild[1:], cwd=copy, env=VERBOSE)
    assert re.search(r"^run +2$", printed, re.MULTILINE)
    assert re.search(r"^total +3$", printed, re.MULTILINE)
    assert len(before) == 3
    for path, content in before.items():
        assert path.stat().st_mtime > times[path]
        assert path.read_bytes() == content

    printed, status = command(*words[:3], "clients", "w/ A2", cwd=copy)
    assert status == 2
    (line,) = printed.splitlines()
    assert line.startswith("error: row 'clients' fits several: RTD - 10 clients (Stationary); ")


def test_snakemakes_own_report_has_tables_figures_and_claims(built, tmp_path):
    report = tmp_path / "report.html"
    snakemake("--report", report, "all", *SMOKE, cwd=built)
    text = report.read_text()
    for name in ("table05.md", "table05.csv", "fig08.png", "fed_react.md"):
        assert name in text


def test_a_plan_needs_no_data_and_has_nothing_to_do_when_all_is_done(copy):
    words = ["python", "-m", "fedreact", "plan", "table05", "--scale"]
    printed, status = command(*words, "paper", cwd=copy)
    assert status == 0, printed
    row = next(line for line in printed.splitlines() if line.startswith("train_encoder"))
    assert row.split()[1] == "30"  # three partitions, five seeds, trained and untrained
    printed, status = command(*words, "smoke", cwd=copy)
    assert status == 0, printed
    assert printed.rstrip().endswith("Nothing is left to do: all of it is there and up to date.")
    printed, status = command(*words, "smok", cwd=copy)
    assert status == 1
    assert printed.startswith("error: config: scale: 'smok' is unknown")


def test_encoders_of_their_own_are_trained_where_the_ledger_asks_for_them(copy):
    """Of an alternative of the ledger: one of its runs, a file as its target."""
    folder = digits(copy)
    own = folder / folder_of("stationary10+encoder_from=own") / "all/seed1.csv"
    snakemake("--cores", "2", str(own.relative_to(copy)), *SMOKE, cwd=copy)
    shared = pd.read_csv(folder / "stationary10/all/seed1.csv")
    assert (pd.read_csv(own)["accuracy"] != shared["accuracy"]).any()
    encoders = copy / "results/smoke/encoders/fed_react" / folder.name
    assert (encoders / "clients10-beta1.5/seed1.npz").exists()


def test_measured_effects_of_a_ledger_are_differences_to_what_is_taken(built, tmp_path):
    scores = [
        pd.read_csv(path) for path in sorted((digits(built) / "stationary10/all").glob("*.csv"))
    ]
    files = {"with_taken": [], "with_alternative": []}
    for seed, taken in enumerate(scores):
        changed = taken.assign(
            setting="stationary10+linkage=average", accuracy=taken["accuracy"] - 0.01
        )
        for (key, paths), table in zip(files.items(), (taken, changed)):
            paths.append(str(tmp_path / f"{key}{seed}.csv"))
            table.to_csv(paths[-1], index=False)
    measured = {"assumption": "linkage", "taken": "ward", "alternative": "average"}
    measured |= {"setting": "stationary10", **files}
    output = tmp_path / "out.csv"
    printed, status = command(
        "python", "scripts/measure_ledger.py", "--scale", "smoke", "--output", str(output),
        "--measured", json.dumps([measured]),
        "--scores", *files["with_taken"], *files["with_alternative"], cwd=built,
    )  # fmt: skip
    assert status == 0, printed
    table = pd.read_csv(output)
    assert set(table["assumption"]) == {"linkage"}
    assert set(table["alternative"]) == {"average"}
    by_metric = table.groupby("metric")["difference"].agg(["min", "max"])
    assert by_metric.loc["accuracy"].tolist() == pytest.approx([-0.01, -0.01])
    assert by_metric.loc["rand"].tolist() == [0, 0]
    assert "| linkage | ward | average | stationary10 | -0.010 (-0.010 to -0.010)" in printed


def test_the_ledger_and_the_searches_are_planned(built):
    """They are no part of all; a dry run shows that each of their jobs can be made."""
    jobs = planned("assumptions", *SMOKE, cwd=built)
    assert jobs["measure_ledger"] == 1
    assert jobs["run"] > 20
    jobs = planned("search", *SMOKE, cwd=built)
    assert jobs["run"] == 4 * 3  # settings, seeds
    jobs = planned("tune", *SMOKE, cwd=built)
    assert jobs["train"] == 4 * 4 * 3  # architectures, learning rates, seeds
