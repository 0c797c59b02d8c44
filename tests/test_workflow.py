"""The workflow end to end at scale smoke, in a copy of the project."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import SMOKE, command, copy_project, descendants, digits, planned, snakemake

pytestmark = pytest.mark.workflow

TABLES = [
    *(f"table{i:02}" for i in range(1, 12)),
    *(f"iclr_table{i:02}" for i in range(1, 6)),
    "sumo_constant",
    "sumo_splits",
]
FIGURES = [f"fig{i:02}" for i in range(1, 13)] + [
    *(f"iclr_fig{i:02}" for i in (1, 2, 3)),
    "clustering_gain",
    "digits_of_writers",
    "eeg_trial",
    "theorem1",
    "sumo_clusters",
    "sumo_silhouette",
    "sumo_thermometer",
    "sumo_trip",
]


def test_all_files_are_there(built):
    results = built / "results/smoke"
    for name in TABLES:
        for suffix in (".csv", ".tex", ".md"):
            assert (results / f"tables/{name}{suffix}").stat().st_size > 0
    for name in FIGURES:
        for suffix in (".pdf", ".png"):
            assert (results / f"figures/{name}{suffix}").stat().st_size > 0
    page = (results / "report.html").read_text()
    assert page.count("<img") == len(FIGURES)
    assert "RTD - 100 clients (Stationary)" in page


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_tables_compile(built, tmp_path):
    tables = "".join(
        (built / f"results/smoke/tables/{name}.tex").read_text() + r"\clearpage" for name in TABLES
    )
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
        + tables
        + r"\end{document}"
    )
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("name", TABLES)
def test_cells_are_whole(built, name):
    table = pd.read_csv(built / f"results/smoke/tables/{name}.csv")
    rebuilt = table[table["n_seeds"] > 0]
    assert len(rebuilt) > 0
    shares = rebuilt[rebuilt["metric"].isin(["accuracy", "rand", "worst_cluster"])]
    assert shares["mean"].between(0, 1).all()
    assert (rebuilt["mean"] >= 0).all()
    several = rebuilt[rebuilt["n_seeds"] > 1]
    assert (several["ci_low"] <= several["mean"]).all()
    assert (several["mean"] <= several["ci_high"]).all()
    assert not table.duplicated(["row", "column", "metric"]).any()
    rand = rebuilt[(rebuilt["metric"] == "rand") & (rebuilt["column"] == "Oracle")]
    assert (rand["mean"] == 1).all()


def test_costs(built):
    table = pd.read_csv(built / "results/smoke/tables/table12.csv").set_index(["row", "column"])
    parameters = table.loc["Number of Parameters (K)"]
    assert parameters["mean"].tolist() == pytest.approx([156.59, 398.346, 131.05, 89.13])
    assert (parameters["verdict"] == "reproduced").all()
    assert (table["mean"] > 0).all()
    ways = pd.read_csv(built / "results/smoke/tables/communication.csv").set_index("row")["mean"]
    # 3,210 weights of 4 bytes; IFCA sends those of 3 clusters.
    assert ways.filter(like="IFCA").tolist() == pytest.approx([3 * 12.84, 12.84])


def test_table_1_has_every_baseline_and_tuning_changes_them_only(built):
    table = pd.read_csv(built / "results/smoke/tables/table01.csv").set_index(["row", "column"])
    by_metric = {metric: part["mean"].unstack() for metric, part in table.groupby("metric")}
    accuracy = by_metric["accuracy"]
    assert accuracy.shape == (4, 19)
    assert by_metric["rmse"].shape == (1, 19)
    for metric in ("steps", "gflops"):
        assert by_metric[metric].shape == (5, 19)
    assert all(part.notna().all().all() for part in by_metric.values())
    # Two rounds of one step; Ditto trains two models. Phase 1: two rounds of one step too.
    ten = by_metric["steps"].loc["RTD 10 clients (acc)"]
    assert (ten["LSTM FedAvg"], ten["LSTM Ditto"], ten["Fed-REACT"]) == (2, 4, 2)
    ten, tuned = (accuracy.loc[f"RTD 10 clients{end}"] for end in (" (acc)", ", baselines tuned"))
    assert ten["Fed-REACT"] == tuned["Fed-REACT"]
    assert (ten != tuned).any()


def test_participation_and_drift_change_the_scores(built):
    def scores(setting):
        return pd.read_csv(digits(built) / setting / "seed0.csv").query("method == 'oracle-a1'")[
            "accuracy"
        ]

    assert scores("participation0.33").tolist() != scores("participation0.5").tolist()
    assert scores("visiting100").tolist() != scores("migration100").tolist()


def test_table05(built):
    table = pd.read_csv(built / "results/smoke/tables/table05.csv")
    accuracy = table[table["metric"] == "accuracy"]
    assert len(accuracy) == 3 * 14
    assert len(table) == 3 * 14 + 3 * 13  # FLSC has no Rand score
    assert (accuracy["n_seeds"] == 2).all()
    assert (accuracy["verdict"] == "not-comparable").all()
    published = accuracy.set_index(["row", "column"])["published"]
    assert published["RTD - 10 clients (Stationary)", "Fed-REACT w/ A2"] == 0.928
    assert set(table["data"]) == {digits(built).name}


def test_rows_say_which_data_they_are_of(built):
    table = pd.read_csv(built / "results/smoke/tables/table01.csv").set_index("row")["data"]
    mirrored = os.environ.get("FEDREACT_DATA_MIRROR")
    assert set(table["EEG 10 clients (acc)"]) == {"eegmmidb" if mirrored else "eeg-sim"}
    assert set(table["SUMO EV (RMSE)"]) == {"sumo-ev"}
    table = pd.read_csv(built / "results/smoke/tables/table02.csv").set_index(["row", "metric"])
    assert {"accuracy", "rand", "worst_cluster"} == set(table.loc["EEG - 10 clients"].index)


def test_personal_regressors_beat_one_for_all_vehicles(built):
    splits, constant = (
        pd.read_csv(built / f"results/smoke/tables/{name}.csv")
        .set_index(["row", "column"])["mean"]
        .unstack()
        for name in ("sumo_splits", "sumo_constant")
    )
    assert (splits["C = 50"] < splits["C = 1"]).all()
    assert (constant["Each vehicle its own"] < constant["One value for all vehicles"]).all()
    mean = constant.loc["Mean of the train windows, random split", "Each vehicle its own"]
    assert splits.loc["Random split (Table 6)", "C = 50"] < mean


def test_nothing_to_do_the_second_time(built):
    assert planned("all", *SMOKE, cwd=built) == {}


def test_no_temporary_files_or_checkpoints_are_left(built):
    left = [p.name for p in (built / "results").rglob("*") if p.name.endswith(".part")]
    assert left == []
    assert not list((built / "results/smoke/checkpoints").rglob("*.npz"))


def test_one_core_gives_the_same_bytes(built, tmp_path):
    """One table and figure of each kind, of each kind of data."""
    project = copy_project(tmp_path)
    wanted = ["table02", "table06", "sumo_trip", "eeg_trial", "fig01", "fig03", "theorem1"]
    encoder = f"results/smoke/encoders/{digits(built).name}/clients10-beta1.5/seed0.npz"
    results = encoder.replace("encoders", "supervised").split("/clients10")[0]
    trained = f"{results}/full10/timesnet/seed0.csv"
    snakemake("--cores", "1", *wanted, trained, *SMOKE, cwd=project)
    names = [
        path.relative_to(project)
        for kind in ("npz", "csv", "tex", "md", "png", "pdf")
        for path in (project / "results").rglob(f"*.{kind}")
    ]
    assert len(names) > 60
    assert {Path(trained), Path(encoder)} < set(names)
    for name in names:
        assert (project / name).read_bytes() == (built / name).read_bytes(), name


@pytest.mark.parametrize(
    ("file", "old", "new", "rules"),
    [
        (
            "src/fedreact/aggregation.py",
            "(count - 1) / count",
            "1 - 1 / count",
            {
                *("run_phase2", "estimate_clusters", "make_table", "make_metrics"),
                *("make_figure", "report", "all"),
            },
        ),
        ("src/fedreact/aggregation.py", "(eq. 5)", "(equation 5)", set()),
        (
            "src/fedreact/paper/render.py",
            '"rebuilt"',
            '"ours"',
            {"make_table", "make_costs", "make_metrics", "report", "all"},
        ),
        (
            "config/published/table05.yaml",
            "0.909",
            "0.908",
            {"make_table", "make_metrics", "report", "all"},
        ),
        (
            "config/experiments.yaml",
            "linkage: ward",
            "linkage: average",
            {
                *("run_phase2", "estimate_clusters", "make_table", "make_metrics"),
                *("make_figure", "report", "all"),
            },
        ),
    ],
)
def test_an_edit_runs_what_it_touches_and_no_more(copy, file, old, new, rules):
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1))
    assert planned("all", *SMOKE, cwd=copy).keys() - {"total"} == rules


def test_dry_run_of_the_papers_scale_needs_no_data(built):
    jobs = planned("all_tables", "--config", "scale=paper", cwd=built)
    # An encoder for each partition and seed, and 10 by DTSSGD; architectures by setting and seed.
    assert jobs["train_encoder"] == (17 + 10 + 3) * 5
    assert jobs["train_supervised"] == (4 * 4 + 2) * 5  # two are at their best untuned
    assert jobs["run_phase2"] == (31 + 12 + 7) * 5
    assert jobs["simulate_region"] == 5


def test_missing_rtd_says_where_to_get_it(built):
    words = ["--cores", "1", "table05", "--config", "scale=paper"]
    printed, status = command("snakemake", *words, cwd=built)
    assert status != 0
    lines = [line for line in printed.splitlines() if line.startswith("error:")]
    line, again = lines  # where it happens, and at the end
    assert again.startswith(line)
    assert "shahinur.com" in line
    assert "data/rtd" in line
    assert "Traceback" not in printed
    assert "returned non-zero exit status 2" in printed


def test_wrong_setting_is_one_clear_line(built):
    printed, status = command("snakemake", "-n", "--config", "scale=smok", cwd=built)
    assert status != 0
    assert "'smok' is unknown; known scales: paper, quick, smoke" in printed
    assert "Traceback" not in printed


def test_digits_can_be_simulated(copy):
    words = ["--cores", "2", "fig07", *SMOKE, "dataset=air-writing-sim"]
    snakemake(*words, cwd=copy)
    for path in (copy / "results/smoke/rounds/air-writing-sim").rglob("*.csv"):
        assert set(pd.read_csv(path)["data"]) == {"air-writing-sim"}


def test_without_network_and_mirror_the_digits_are_simulated(built):
    # Forced, at another scale: the one that is built keeps to the data that it has.
    words = ["-n", "-F", "fig07", "--config", "scale=quick"]
    printed, status = command("snakemake", *words, cwd=built, env={"FEDREACT_DATA_MIRROR": ""})
    assert status == 0, printed
    assert "rounds/air-writing-sim/stationary10/seed0.csv" in printed


def test_real_data_at_hand_is_not_replaced_by_simulated(built):
    printed, status = command(
        "snakemake", "-n", "all", *SMOKE, cwd=built, env={"FEDREACT_DATA_MIRROR": ""}
    )
    assert status == 0, printed
    assert "Nothing to be done" in printed


def training(built, output, rounds=4):
    data = built / f"results/smoke/data/{digits(built).name}.npz"
    partitions = built / "results/smoke/partitions" / data.stem
    return [
        sys.executable, str(built / "scripts/train_encoder.py"),
        "--data", str(data), "--partition", str(partitions / "clients10-beta1.5/seed0.npz"),
        "--seed", "3", "--rounds", str(rounds), "--steps", "3", "--workers", "2",
        "--output", str(output),
    ]  # fmt: skip


def test_killed_training_resumes_to_the_same_bits(built, tmp_path):
    whole, cut = tmp_path / "whole.npz", tmp_path / "cut.npz"
    subprocess.run(training(built, whole), check=True, capture_output=True)

    checkpoint = tmp_path / "cut.checkpoint.npz"
    process = subprocess.Popen(training(built, cut), stderr=subprocess.DEVNULL)
    while not checkpoint.exists():
        assert process.poll() is None, "training ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not cut.exists()

    resumed = subprocess.run(training(built, cut), check=True, capture_output=True, text=True)
    assert "resuming after round" in resumed.stderr
    assert cut.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()


def test_killed_supervised_training_resumes_to_the_same_bytes(built, tmp_path):
    data = built / f"results/smoke/data/{digits(built).name}.npz"
    partition = built / f"results/smoke/partitions/{data.stem}/clients10-beta0.1/seed0.npz"

    def words(name):
        return [
            sys.executable, str(built / "scripts/train_supervised.py"), "--data", str(data),
            "--partition", str(partition), "--setting", "s", "--seed", "0",
            "--architecture", "causal-cnn", "--algorithms", "fedavg", "apfl", "--rounds", "3",
            "--steps", "2", "--batch-size", "4", "--workers", "2",
            "--checkpoint", str(tmp_path / f"{name}.npz"),
            "--output", str(tmp_path / f"{name}.csv"),
        ]  # fmt: skip

    subprocess.run(words("whole"), check=True, capture_output=True)
    process = subprocess.Popen(words("cut"), stderr=subprocess.DEVNULL)
    while not (tmp_path / "cut-apfl.npz").exists():  # in the middle of the second algorithm
        assert process.poll() is None, "training ended before it could be killed"
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "cut.csv").exists()
    resumed = subprocess.run(words("cut"), check=True, capture_output=True, text=True)
    assert resumed.stderr.count("resuming after round") == 2
    assert (tmp_path / "cut.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not list(tmp_path.glob("*.npz"))


def test_damaged_and_foreign_checkpoints_are_not_resumed(built, tmp_path):
    output = tmp_path / "e.npz"
    checkpoint = tmp_path / "e.checkpoint.npz"
    foreign = {"theta": np.zeros(3, np.float32), "t": np.array(1), "scores": np.zeros(0)}
    foreign["identity"] = np.array("other")
    for content in (b"", b"PK\x03\x04 not a zip"):
        checkpoint.write_bytes(content)
        run = subprocess.run(training(built, output, 1), check=True, capture_output=True, text=True)
        assert "starting anew" in run.stderr
    np.savez(checkpoint, **foreign)
    run = subprocess.run(training(built, output, 1), check=True, capture_output=True, text=True)
    assert "of other data or settings" in run.stderr


def test_workers_end_with_the_process_that_started_them(built, tmp_path):
    process = subprocess.Popen(
        training(built, tmp_path / "e.npz", rounds=500), stderr=subprocess.DEVNULL
    )
    try:
        while not (tmp_path / "e.checkpoint.npz").exists():
            assert process.poll() is None
            time.sleep(0.01)
        workers = descendants(process.pid)
        assert len(workers) >= 2
    finally:
        process.kill()
        process.wait()
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail("workers go on after their parent was killed")


@pytest.mark.parametrize("script", sorted(Path("scripts").glob("[a-z]*.py"), key=str))
def test_every_command_explains_itself(built, script):
    printed, status = command("python", str(script), "--help", cwd=built)
    assert status == 0
    assert "usage:" in printed
    printed, status = command("python", str(script), cwd=built)
    assert status == 2
    assert "Traceback" not in printed


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x80\x04]q\x00."])
def test_a_damaged_file_is_one_clear_line_and_nothing_is_written(built, tmp_path, content):
    damaged, output = tmp_path / "data.npz", tmp_path / "out.npz"
    damaged.write_bytes(content)
    printed, status = command(
        "python", "scripts/make_partition.py", "--data", str(damaged), "--cluster-sizes", "1",
        "--beta", "1", "--seed", "0", "--output", str(output), cwd=built,
    )  # fmt: skip
    assert status == 2
    (line,) = printed.splitlines()
    assert line.startswith(f"error: {damaged}: not a readable dataset")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.npz"]


def test_encoders_of_their_own_are_trained_where_asked_for(copy):
    rounds = digits(copy)
    own = rounds.relative_to(copy) / "stationary10+encoder_from=own/seed1.csv"
    snakemake("--cores", "2", str(own), *SMOKE, cwd=copy)
    shared = pd.read_csv(rounds / "stationary10/seed1.csv")
    assert (pd.read_csv(copy / own)["accuracy"] != shared["accuracy"]).any()
    assert (copy / f"results/smoke/encoders/{rounds.name}/clients10-beta1.5/seed1.npz").exists()


def test_search_ranks_options_and_marks_what_is_taken(built, tmp_path):
    variants = {"ifca+steps=1": 0.7, "ifca+steps=10": 0.8, "flsc+steps=10": 0.9}
    lines = [
        [f"{setting}+methods=search", "pendigits", seed, method, 1, accuracy, ""]
        for setting in ("stationary10", "visiting100")
        for seed in (100, 101)
        for method, accuracy in variants.items()
    ]
    columns = ["setting", "data", "seed", "method", "round", "accuracy", "rand"]
    pd.DataFrame(lines, columns=columns).to_csv(tmp_path / "s.csv", index=False)
    experiments = tmp_path / "e.yaml"
    experiments.write_text("methods: {ifca: {steps: 10, memory: a1}, flsc: {steps: 1}}")
    output = tmp_path / "out.csv"
    printed, status = command(
        "python", "scripts/measure_search.py", "--scale", "smoke", "--output", str(output),
        "--experiments", str(experiments), "--scores", str(tmp_path / "s.csv"), cwd=built,
    )  # fmt: skip
    assert status == 0, printed
    table = pd.read_csv(output)
    assert table["variant"].tolist() == ["flsc+steps=10", "ifca+steps=10", "ifca+steps=1"]
    assert table["taken"].tolist() == [False, True, False]
    assert "| **ifca+steps=10** | 0.8000 | 0.8000 | 0.8000 |" in printed


def test_a_method_that_is_unknown_is_one_clear_line(built, tmp_path):
    folder, name = built / "results/smoke", digits(built).name
    data = folder / f"data/{name}.npz"
    words = [
        "python", "scripts/run_phase2.py", "--data", str(data), "--setting", "s", "--seed", "0",
        "--features", str(next((folder / f"features/{name}").rglob("*.npz"))), "--rounds", "1",
        "--partition", str(next((folder / "partitions").rglob("clients10-*/seed0.npz"))),
        "--output", str(tmp_path / "out.csv"), "--methods",
    ]  # fmt: skip
    for method, text in (
        ("ifcaa", "error: method 'ifcaa' is unknown; known: fed-react-a1"),
        ("ifca+speed=3", "error: method ifca+speed=3: "),
        ("ifca+steps=0", "error: "),
    ):
        printed, status = command(*words, method, cwd=built)
        assert status == 2, printed
        assert printed.startswith(text), printed
        assert len(printed.splitlines()) == 1
    assert not (tmp_path / "out.csv").exists()


def test_assumptions_are_differences_to_what_is_taken(built, tmp_path):
    (folder,) = (built / "results/smoke/rounds").glob("*/stationary10")
    scores = [pd.read_csv(path) for path in folder.glob("seed*.csv")]
    for seed, taken in enumerate(scores):
        taken.to_csv(tmp_path / f"taken{seed}.csv", index=False)
        changed = taken.assign(
            setting="stationary10+linkage=average", accuracy=taken["accuracy"] - 0.01
        )
        changed.to_csv(tmp_path / f"changed{seed}.csv", index=False)
    output = tmp_path / "out.csv"
    printed, status = command(
        "python", "scripts/measure_assumptions.py", "--scale", "smoke", "--output", str(output),
        "--scores", *map(str, sorted(tmp_path.glob("*[01].csv"))), cwd=built,
    )  # fmt: skip
    assert status == 0, printed
    table = pd.read_csv(output)
    assert set(table["assumption"]) == {"linkage"}
    assert set(table["alternative"]) == {"average"}
    by_metric = table.groupby("metric")["difference"].agg(["min", "max"])
    assert by_metric.loc["accuracy"].tolist() == pytest.approx([-0.01, -0.01])
    assert by_metric.loc["rand"].tolist() == [0, 0]
    assert "| linkage | ward | average | stationary10 | -0.010 (-0.010 to -0.010)" in printed


def test_each_table_says_where_its_cells_came_from(built):
    results = built / "results/smoke"
    for name in [*TABLES, "table12", "communication"]:
        table = pd.read_csv(results / f"tables/{name}.csv")
        origins = json.loads((results / f"tables/{name}.provenance.json").read_text())
        assert [cell["row"] for cell in origins["cells"]] == table["row"].tolist()
        assert all(record["outputs"] for record in origins["records"].values()), name
        for cell in origins["cells"]:
            assert len(cell.get("values", "x")) == max(cell["n_seeds"], 1)


def test_a_cell_is_explained_and_rebuilt_by_the_command_that_it_names(copy):
    csv = "results/smoke/tables/table05.csv"
    words = ["python", "scripts/explain_cell.py", csv, "10 clients", "w/ A2"]
    printed, status = command(*words, cwd=copy)
    assert status == 0, printed
    assert "published   0.928, Fed-REACT (arXiv 2509.07198), Table 5, appendix G" in printed
    data = digits(copy).name
    for path in (f"rounds/{data}/stationary10/seed1.csv", f"data/{data}.npz"):
        assert f"results/smoke/{path}  sha256 " in printed
    assert "(as now)" in printed
    assert "changed since" not in printed
    assert "no record" not in printed
    assert "torch 2" in printed

    printed, status = command(*words, "--json", cwd=copy)
    rebuild = json.loads(printed)["rebuild"].split()
    before = {path: path.read_bytes() for path in (digits(copy) / "stationary10").glob("*.csv")}
    before[copy / csv] = (copy / csv).read_bytes()
    times = {path: path.stat().st_mtime for path in before}
    printed = snakemake(*rebuild[1:], cwd=copy)
    assert re.search(r"^run_phase2 +2$", printed, re.MULTILINE)
    assert re.search(r"^total +3$", printed, re.MULTILINE)
    assert len(before) == 3
    for path, content in before.items():
        assert path.stat().st_mtime > times[path]
        assert path.read_bytes() == content

    printed, status = command(*words[:3], "clients", "w/ A2", cwd=copy)
    assert status == 2
    (line,) = printed.splitlines()
    assert line.startswith("error: row 'clients' fits several: RTD - 10 clients (Stationary); ")


def test_a_plan_needs_no_data_and_has_nothing_to_do_when_all_is_done(copy):
    words = ["python", "scripts/plan.py", "table05", "--scale"]
    printed, status = command(*words, "paper", cwd=copy)
    assert status == 0, printed
    row = next(line for line in printed.splitlines() if line.startswith("train_encoder"))
    assert row.split()[1] == "15"
    printed, status = command(*words, "smoke", cwd=copy)
    assert status == 0, printed
    assert re.search(r"^all +0 ", printed, re.MULTILINE)
    printed, status = command(*words, "smok", cwd=copy)
    assert status == 2
    assert printed.startswith("error: config: scale: 'smok' is unknown")
