"""The commands of docs/howto/own_*.md: own data, models and algorithms, from raw data to tables."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from helpers import SMOKE, command, copy_project, edit, edit_yaml, planned, snakemake
from own_examples import COMMANDS, add_examples, add_least

from fedreact.clients.partition import Partition

pytestmark = [pytest.mark.workflow, pytest.mark.campaign]

TOY = Path(__file__).parent / "toy"


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """The project with all examples, after both commands."""
    project = copy_project(tmp_path_factory.mktemp("extended"))
    add_examples(project)
    snakemake(*COMMANDS[1].split()[1:], cwd=project)
    return project


def cells(project, table, metric):
    found = pd.read_csv(project / f"results/smoke/tables/{table}.csv")
    return found[found["metric"] == metric].set_index(["row", "column"])


def test_own_things_are_in_tables_beside_those_of_the_project(extended):
    accuracy = cells(extended, "mine_clusters", "accuracy")
    assert len(accuracy) == 4 * 4
    assert set(accuracy["n_seeds"]) == {2}
    data = accuracy["data"].unstack()["K-means"]
    assert set(data.filter(like="Gestures")) == {"gestures"}
    assert "gestures" not in set(data.filter(like="Digits"))
    means = accuracy["mean"].unstack()
    assert means["K-means"].between(0, 1).all()
    rows = ["Gestures, 12 people", "Gestures, an encoder of GRUs"]
    assert (means.loc[rows[0]] != means.loc[rows[1]]).any()
    # No true clusters are known where clients come from the file.
    rand = cells(extended, "mine_clusters", "rand")["mean"].unstack()
    assert set(rand.index) == set(means.index) - set(rows)
    assert rand["K-means"].between(0, 1).all()

    trained = cells(extended, "mine_trained", "accuracy")
    assert len(trained) == 4
    assert trained["mean"].between(0, 1).all()
    assert trained["mean"].nunique() > 2
    assert planned("mine", *SMOKE, cwd=extended) == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        (
            "kinds/clustered/algorithms/kmeans.py",
            "min(candidates, key",
            "max(candidates, key",
            {"run": 8},  # 4 settings, 2 seeds
        ),
        (
            "kinds/synchronous/algorithms/fedavgm.py",
            "self.momentum *",
            "0.5 * self.momentum *",
            {"train": 4},  # 2 architectures, 2 seeds
        ),
        ("models/architectures/gru_classifier.py", "[:, -1]", "[:, 0]", {"train": 2}),
        (
            "models/encoders/gru.py",
            "t < lengths",
            "t <= lengths",
            {"train_encoder": 1, "extract_features": 1, "run": 2},
        ),
        ("models/encoders/gru.py", "# A client whose", "# A person whose", {}),
    ],
)
def test_an_edit_runs_again_what_depends_on_it_and_no_more(extended, file, old, new, jobs):
    path = extended / "own" / file
    text = path.read_text()
    edit(path, old, new)
    found = planned("mine", *SMOKE, cwd=extended)
    path.write_text(text)
    assert {
        rule: n
        for rule, n in found.items()
        if rule not in ("make_table", "mine", "result_page", "total")
    } == jobs
    assert ("make_table" in found) == bool(jobs)


def call(project, script, *words):
    printed, status = command("python", f"scripts/{script}.py", *map(str, words), cwd=project)
    assert status == 0, printed


def inputs(project):
    folder = project / "results/smoke"
    partition = folder / "partitions/mine/gestures/people/seed0.npz"
    return ["--data", folder / "data/gestures.npz", "--partition", partition, "--seed", 0]


def test_an_own_encoder_trains_on_several_cores_to_the_same_bits(extended, tmp_path):
    words = [*inputs(extended), "--encoder", "gru", "--rounds", 1, "--steps", 2, "--device", "cpu"]
    for cores in (1, 2):
        more = ["--workers", cores, "--output", tmp_path / f"{cores}.npz"]
        call(extended, "train_encoder", *words, *more)
    assert (tmp_path / "1.npz").read_bytes() == (tmp_path / "2.npz").read_bytes()


def test_an_own_architecture_and_algorithm_train_on_several_cores_to_the_same_bits(
    extended, tmp_path
):
    words = ["synchronous", *inputs(extended), "--setting", "s", "--device", "cpu"]
    words += ["--architecture", "gru-classifier", "--rounds", 2, "--steps", 2, "--batch-size", 4]
    words += ["--methods", json.dumps({"own": {"algorithm": "fedavgm"}})]
    for cores in (1, 2):
        more = ["--workers", cores, "--output", tmp_path / f"{cores}.csv"]
        call(extended, "run", *words, *more)
    assert len(pd.read_csv(tmp_path / "1.csv")) == 2
    assert (tmp_path / "1.csv").read_bytes() == (tmp_path / "2.csv").read_bytes()


@pytest.mark.rare
def test_data_and_nothing_else_is_five_short_files(extended):
    add_least(extended)
    folder = extended / "config/papers/gestures"
    shutil.copy(folder / "scales/quick.yaml", folder / "scales/smoke.yaml")
    snakemake("--cores", "2", "gestures", *SMOKE, cwd=extended)
    means = cells(extended, "gestures_methods", "accuracy")["mean"]
    assert len(means) == 5
    assert means.between(0, 1).all()
    # Several may be right of all samples; none of them trains to be worse than the constant.
    means = means.droplevel("row")
    assert means.drop("Constant").gt(means["Constant"]).all()
    shutil.rmtree(folder)


@pytest.mark.rare
def test_own_data_can_stand_for_the_digits(extended):
    table = "results/smoke/on/gestures/tables/iclr_table02.md"
    snakemake("--cores", "2", table, *SMOKE, "dataset=gestures", cwd=extended)
    assert "gestures" in (extended / table).read_text()


# ---- Metrics, figures, partitioners, kinds of run -----------------------------------------------

PARTITIONER = '''
from dataclasses import dataclass, replace

import numpy as np

from fedreact.clients.partitioners.owner import Owner
from fedreact.options import Count


@dataclass(frozen=True)
class Turns:
    """Clients that get a series in turn.

    Attributes
    ----------
    clients
        How many.
    """

    clients: Count = 2

    @property
    def n_clients(self):
        return self.clients

    def deal(self, data, seed):
        turns = np.arange(len(data.y)) % self.clients
        return Owner().deal(replace(data, owner=turns), seed)


PARTITIONER = Turns
'''

FIGURE = '''
from dataclasses import dataclass

from fedreact.figures.contract import FigureKind


@dataclass(frozen=True)
class Bars(FigureKind):
    """A bar for each method.

    Attributes
    ----------
    setting
        Of all bars.
    methods
        Their names.
    """

    setting: str
    methods: tuple[str, ...]
    metrics = ("brier",)

    def cells(self):
        return {("", name): {"setting": self.setting, "method": name} for name in self.methods}

    def draw(self, title, cells, files):
        from matplotlib.figure import Figure

        figure = Figure()
        heights = [lines["brier"].mean() for lines in cells.values()]
        figure.subplots().bar([name for _, name in cells], heights)
        return figure


FIGURE = Bars
'''


def test_all_other_things_are_found_below_own_too(tmp_path):
    """The toy paper with its files in ``own/``, and a partitioner and a kind of figure."""
    project = copy_project(tmp_path / "project")
    shutil.copytree(TOY / "config", project / "config", dirs_exist_ok=True)
    shutil.copytree(TOY / "src/fedreact", project / "own")
    for name, content in (("clients/partitioners/turns", PARTITIONER), ("figures/columns", FIGURE)):
        path = project / "own" / f"{name}.py"
        path.parent.mkdir(parents=True)
        path.write_text(content)
    paper = project / "config/papers/toy"
    edit_yaml(
        paper / "experiment.yaml",
        lambda c: c["partitions"].update(waves4={"data": "toy-waves", "by": "turns", "clients": 5}),
    )
    bars = {"kind": "columns", "title": "Bars", "setting": "waves", "methods": ["nearest"]}
    edit_yaml(paper / "figures.yaml", lambda c: c.update(fig2=bars))
    snakemake("--cores", "2", "toy_table1", "toy_fig2", *SMOKE, cwd=project)
    assert cells(project, "toy_table1", "brier")["mean"].between(0, 2).all()
    assert (project / "results/smoke/figures/toy_fig2.png").stat().st_size > 0
    partition = project / "results/smoke/partitions/toy/toy-waves/waves4/seed0.npz"
    assert len(Partition.load(partition).train) == 5
    (project / "own/figures/columns.py").write_text(FIGURE.replace("bar(", "barh("))
    assert planned("toy_table1", *SMOKE, cwd=project) == {}
    assert "make_figure" in planned("toy_fig2", *SMOKE, cwd=project)
