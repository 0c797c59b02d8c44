"""A user's dataset, encoder and method, each one file and lines of configuration (docs/own.md)."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import copy_project
from test_config import BASE, edit, refused
from test_workflow import SMOKE, command, planned, snakemake

from fedreact.data import own as own_data
from fedreact.errors import UserError
from fedreact.partition import partition_by_subject
from fedreact.workflow import own
from fedreact.workflow.config import load_plan

# Line of the documentation: the line of a file of config/ that it follows.
LINES = {
    "gestures: {data: gestures, subjects: 12, split: random, test_share: 0.2}": (
        "experiments",
        "partitions:",
    ),
    "gestures: {partition: gestures, rounds: 60, clusters: 2}": ("experiments", "settings:"),
    "kmeans: {restarts: 5}": ("experiments", "methods:"),
    "Gestures - 12 clients: gestures": (
        "outputs",
        "      RTD - 10 clients (Stationary): stationary10",
    ),
    "10 clients, GRU: stationary10+encoder=gru": (
        "outputs",
        "      RTD - 10 clients (Stationary): stationary10",
    ),
    "K-means: kmeans": ("outputs", "    columns: &columns"),
}


def follow_the_documentation(project):
    """What docs/own.md says, in a copy of the project."""
    shutil.copytree(project / "examples/own", project / "own", dirs_exist_ok=True)
    subprocess.run([sys.executable, "examples/make_gestures.py"], cwd=project, check=True)
    documentation = (project / "docs/own.md").read_text().splitlines()
    for line, (file, after) in LINES.items():
        assert f"    {line}" in documentation
        path = project / f"config/{file}.yaml"
        lines = path.read_text().splitlines()
        at = lines.index(after)
        lines.insert(at + 1, " " * (len(lines[at + 1]) - len(lines[at + 1].lstrip())) + line)
        path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The project with all three examples, and a Table 5 of two rows of ours and one of digits."""
    project = copy_project(tmp_path_factory.mktemp("extended"))
    follow_the_documentation(project)

    def fewer_rows(outputs):
        rows = outputs["tables"]["table05"]["rows"]
        for name in [name for name, setting in rows.items() if "100" in setting]:
            del rows[name]

    edit(project / "config/outputs.yaml", fewer_rows)
    return project


@pytest.mark.workflow
def test_table_5_gets_a_row_of_own_data_one_of_an_own_encoder_and_a_column(extended):
    words = ["--cores", "2", "table05", *SMOKE]
    snakemake(*words, cwd=extended)
    table = pd.read_csv(extended / "results/smoke/tables/table05.csv")
    accuracy = table[table["metric"] == "accuracy"].set_index(["row", "column"])
    assert len(accuracy) == 3 * 15
    assert (accuracy.loc["Gestures - 12 clients", "data"] == "gestures").all()
    assert set(accuracy["n_seeds"]) == {2}
    means = accuracy["mean"].unstack()
    assert means["K-means"].between(0, 1).all()
    digits, gru = means.loc["RTD - 10 clients (Stationary)"], means.loc["10 clients, GRU"]
    assert (digits != gru).all()
    # No true clusters are known where clients come from the file.
    rand = table[table["metric"] == "rand"].set_index("row")["mean"]
    assert "Gestures - 12 clients" not in rand
    assert rand["10 clients, GRU"].between(0, 1).all()
    assert planned("table05", *SMOKE, cwd=extended) == {}

    # Own code is part of what a step depends on, and of no other's.
    for file, old, new, rules in (
        ("methods/kmeans.py", "restarts: int = 5", "restarts: int = 6", {"run_phase2"}),
        ("encoders/gru.py", "t < lengths", "t <= lengths", {"train_encoder", "extract_features"}),
    ):
        path = extended / "own" / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        jobs = planned("table05", *SMOKE, cwd=extended)
        assert rules <= jobs.keys()
        if "gru" in file:
            assert jobs["train_encoder"] == jobs["extract_features"] == 1
            assert jobs["run_phase2"] == 2
        path.write_text(text)


@pytest.mark.workflow
def test_an_own_encoder_trains_on_several_cores_to_the_same_bits(extended, tmp_path):
    data, partition = tmp_path / "data.npz", tmp_path / "p" / "partition.npz"
    run = [sys.executable, "scripts/prepare_data.py", "--dataset", "gestures"]
    subprocess.run([*run, "--output", str(data)], cwd=extended, check=True, capture_output=True)
    run = [sys.executable, "scripts/make_partition.py", "--data", str(data), "--split", "random"]
    words = ["--seed", "0", "--output", str(partition)]
    subprocess.run([*run, *words], cwd=extended, check=True, capture_output=True)
    for cores in ("1", "2"):
        run = [sys.executable, "scripts/train_encoder.py", "--encoder", "gru", "--steps", "2"]
        words = ["--data", data, "--partition", partition, "--seed", "0", "--rounds", "1"]
        words += ["--workers", cores, "--device", "cpu", "--output", tmp_path / f"{cores}.npz"]
        subprocess.run([*run, *map(str, words)], cwd=extended, check=True, capture_output=True)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


@pytest.mark.parametrize(("test", "name"), [("methods", "kmeans"), ("encoders", "gru")])
def test_the_contracts_tests_run_on_what_is_in_own(project, test, name):
    shutil.copytree("examples/own", "own", dirs_exist_ok=True)
    words = ["-p", "no:cacheprovider", f"tests/test_{test}.py", "-k", name]
    printed, status = command("pytest", *words, cwd=project)
    assert status == 0, printed
    assert "passed" in printed


def test_one_line_takes_own_data_for_the_digits(project):
    follow_the_documentation(project)
    plan = load_plan(BASE | {"dataset": "gestures"})
    assert plan.dataset_of("stationary10") == "gestures"
    assert plan.rounds(["stationary10"])[0].endswith("rounds/gestures/stationary10/seed0.csv")
    assert plan.data_options("gestures") == {}
    assert plan.raw_digest("gestures") != plan.raw_digest("pendigits")


def test_own_code_is_that_of_what_is_run(project):
    follow_the_documentation(project)
    plan = load_plan(BASE)
    assert plan.own_methods("gestures") == [Path("own/methods/kmeans.py")]
    assert plan.own_methods("sumo50") == []
    assert plan.own_encoder("gestures+encoder=gru") == [Path("own/encoders/gru.py")]
    assert plan.own_encoder("gestures") == []
    assert plan.phase2_options("gestures")["clusters"] == 2
    assert plan.phase1_options("gestures") == plan.phase1_options("clients10-beta1.5")


@pytest.mark.parametrize(
    ("file", "change", "words"),
    [
        ("partitions", {"mine": {"data": "mine", "subjects": 3, "split": "random"}}, "data/own"),
        ("methods", {"kmean": {}}, "'kmean' is unknown; known: fed-react-a1"),
        ("phase1", {"encoder": "gruu"}, "'gruu' is unknown; known: table12, franceschi"),
    ],
)
def test_names_that_lead_nowhere(project, file, change, words):
    edit("config/experiments.yaml", lambda c: c[file].update(change))
    assert words in refused()


def test_a_variant_with_an_unknown_encoder_or_key_is_refused(project):
    for variant, words in (
        ("stationary10+encoder=gruu", "'gruu' is unknown; known: table12, franceschi"),
        ("stationary10+encodr=table12", "'encodr' is unknown"),
        ("stationary10+encoder", "'stationary10+encoder'"),
    ):
        edit("config/outputs.yaml", lambda c, v=variant: c["tables"]["table05"]["rows"].update(x=v))
        assert words in refused()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("raise RuntimeError('two\\nlines')", "RuntimeError: two lines"),
        ("import nowhere", "No module named 'nowhere'"),
        ("def f(:", "SyntaxError"),
        ("METHODS = 1", "has no attribute 'METHOD'"),
    ],
)
def test_files_that_cannot_be_used_are_one_line(project, content, words):
    name = f"broken{abs(hash(content))}"
    path = Path(f"own/methods/{name}.py")
    path.parent.mkdir(parents=True)
    path.write_text(content)
    with pytest.raises(UserError) as caught:
        own.load("methods", name, [])
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def write(path, **changes):
    arrays = {"X": np.random.default_rng(0).normal(size=(6, 2, 5)), "y": np.arange(6) % 2}
    arrays |= changes
    np.savez(path, **{name: a for name, a in arrays.items() if a is not None})
    return path


def test_labels_clients_and_trials_are_numbered_in_order(tmp_path):
    file = write(
        tmp_path / "mine.npz",
        y=np.array(["up", "down", "up", "left", "up", "up"]),
        client=np.array([7, 7, 3, 3, 3, 9]),
        lengths=np.full(6, 5, np.int8),
    )
    data = own_data.read(file, "mine")
    assert data.y.tolist() == [2, 0, 2, 1, 2, 2]
    assert data.subject.tolist() == [1, 1, 0, 0, 0, 2]
    assert data.X.dtype == np.float32
    assert data.trial is None
    assert not data.regression
    assert own_data.read(write(file, y=np.linspace(0, 1, 6)), "mine").regression


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"X": np.zeros((6, 5))}, r"X must be numbers \[N, channels, T\]"),
        ({"X": np.zeros((6, 2, 5), complex)}, "X must be numbers"),
        ({"X": np.full((6, 2, 5), np.nan)}, "series 0 holds NaN"),
        ({"X": np.full((6, 2, 5), 1e300)}, "series 0 holds NaN or infinite"),
        ({"y": None}, "lacks y"),
        ({"y": np.zeros(6, int)}, "one label only"),
        ({"y": np.arange(5)}, r"y must be \[6\]"),
        ({"y": np.full(6, np.nan)}, "target of series 0"),
        ({"y": np.zeros(6, complex)}, "y must be labels"),
        ({"client": np.zeros(6)}, "client must be integers or strings"),
        ({"clients": np.zeros(6, int)}, "unknown array clients; known: X, y, client"),
        ({"lengths": np.zeros(6, int)}, "lengths must lie in"),
        ({"lengths": np.ones(6)}, "lengths must be integers"),
    ],
)
def test_wrong_datasets_are_one_line(tmp_path, changes, words):
    file = write(tmp_path / "mine.npz", **changes)
    with pytest.raises(UserError, match=words) as caught:
        own_data.read(file, "mine")
    assert str(file) in str(caught.value)


def test_trials_of_clients_are_not_split():
    subject, trial = np.repeat([0, 1], 40), np.repeat(np.arange(20), 4)
    for split in ("random", "chronological"):
        p = partition_by_subject(subject, 0, split, test_share=0.2, gap=1, trial=trial)
        for train, test in zip(p.train, p.test):
            assert len(test) == 8
            assert not set(trial[train]) & set(trial[test])
    assert trial[p.train[1]].max() == 16  # trials 18 and 19 are the test set, 17 is left out
