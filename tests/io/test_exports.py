"""Formats of others: what is written is read back as those who read it do."""

import json
import pickle
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from fedreact.clients.partitioners.owner import Owner
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.errors import UserError
from fedreact.io import exporting, scores

RNG = np.random.default_rng(0)
NAMES = np.array(["ann", "bob the 2nd", "cy"])
WRITTEN_NAMES = {
    "clients": ["ann", "bob the 2nd", "cy"],
    "labels": ["down", "up"],
    "channels": ["x", "y"],
}


def data(**changes):
    """Thirty series of two channels and five steps, of three people and two labels."""
    content = {
        "X": RNG.normal(size=(30, 2, 5)).astype(np.float32),
        "y": np.arange(30) % 2,
        "owner": np.arange(30) // 10,
        "owner_names": NAMES,
        "label_names": np.array(["down", "up"]),
        "channel_names": np.array(["x", "y"]),
    }
    content |= changes
    lengths = np.full(30, 5)
    return SeriesDataset("toy", lengths=lengths, **content)


def written(format_, folder, made=None, **options):
    made = made or data()
    drawn = Owner(test_share=0.2).deal(made, 0)
    exporting.load(format_)(**options).write(made, drawn, folder)
    return made, drawn


@pytest.mark.parametrize("name", exporting.formats())
def test_every_export_keeps_its_contract(name):
    cls = exporting.load(name)
    assert issubclass(cls, exporting.DataExport | exporting.ScoresExport)
    assert cls.TITLE
    cls()  # all options are optional


def test_a_file_for_each_client(tmp_path):
    made, drawn = written("npz", tmp_path)
    about = json.loads((tmp_path / "partition.json").read_text())
    assert [one["client"] for one in about["clients"]] == NAMES.tolist()
    assert [one["file"] for one in about["clients"]][1] == "1-bob_the_2nd.npz"
    with np.load(tmp_path / "0-ann.npz") as file:
        assert file["index"].tolist() == [*drawn.train[0], *drawn.test[0]]
        assert file["tested"].sum() == len(drawn.test[0])
        assert (file["X"] == made.X[file["index"]]).all()
        assert file["label_names"].tolist() == ["down", "up"]


def test_windows_are_written_as_series(tmp_path):
    steps = RNG.normal(size=(60, 2)).astype(np.float32)
    windows = data(X=Windows(steps, np.arange(30), 5))
    written("npz", tmp_path, windows)
    with np.load(tmp_path / "0-ann.npz") as file:
        assert file["X"].shape == (10, 2, 5)
        assert (steps[file["index"][0] : file["index"][0] + 5] == file["X"][0].T).all()


def test_fl_bench_reads_it(tmp_path):
    made, drawn = written("fl-bench", tmp_path)
    partition = pickle.loads((tmp_path / "partition.pkl").read_bytes())
    assert partition["separation"] == {
        "train": [0, 1, 2],
        "val": [0, 1, 2],
        "test": [0, 1, 2],
        "total": 3,
    }
    assert partition["data_indices"][1] == {
        "train": drawn.train[1].tolist(),
        "val": [],
        "test": drawn.test[1].tolist(),
    }
    assert (np.load(tmp_path / "data.npy") == made.X).all()
    assert (np.load(tmp_path / "targets.npy") == made.y).all()
    stats = json.loads((tmp_path / "all_stats.json").read_text())
    assert stats["0"] == {"x": 10, "y": {"0": 5, "1": 5}}
    assert json.loads((tmp_path / "names.json").read_text()) == WRITTEN_NAMES


def test_pfllib_reads_it(tmp_path):
    made, drawn = written("pfllib", tmp_path)
    assert json.loads((tmp_path / "names.json").read_text()) == WRITTEN_NAMES
    with np.load(tmp_path / "train/2.npz", allow_pickle=True) as file:
        content = file["data"].tolist()
    assert set(content) == {"x", "y"}
    assert (content["x"] == made.X[drawn.train[2]]).all()
    config = json.loads((tmp_path / "config.json").read_text())
    assert (config["num_clients"], config["num_classes"]) == (3, 2)
    regression = data(y=np.linspace(0, 1, 30, dtype=np.float32), label_names=None)
    with pytest.raises(
        UserError, match="PFLlib reads one label for each series; toy is regression"
    ):
        written("pfllib", tmp_path, regression)


def test_flower_reads_it(tmp_path):
    made, drawn = written("flower", tmp_path)
    about = json.loads((tmp_path / "partitions.json").read_text())
    first = about["partitions"][0]
    assert first["name"] == "ann"
    assert first["num_examples"] == {"train": 8, "test": 2}
    assert sum(first["label_counts"].values()) == 8
    with np.load(tmp_path / first["file"]) as file:
        assert (file["x_test"] == made.X[drawn.test[0]]).all()


def test_croissant_is_valid(tmp_path):
    mlc = pytest.importorskip("mlcroissant")
    made, _ = written(
        "croissant",
        tmp_path,
        data(tested=np.arange(30) % 5 == 0, time=np.arange(30.0)),
        license="https://creativecommons.org/licenses/by/4.0/",
    )
    dataset = mlc.Dataset(jsonld=tmp_path / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors
    records = list(dataset.records("series"))
    assert len(records) == 30
    assert records[0]["series/client"] == b"ann"
    assert np.allclose(records[3]["series/channel_y"], made.X[3, 1])


def test_croissant_without_its_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(UserError, match=r"pip install 'fedreact\[croissant\]'"):
        written("croissant", tmp_path)


def test_data_without_clients_is_refused(tmp_path):
    with pytest.raises(UserError, match="toy names no clients"):
        exporting.load("flower")().write(data(owner=None, owner_names=None), None, tmp_path)


# ---- Scores -------------------------------------------------------------------------------------

SCORES = """setting,data,seed,method,round,accuracy,accuracy@worst_fifth:var
people,har,0,ifca,1,0.5,
people,har,0,ifca,2,0.75,0.01
people,har,0,fedavg,2,0.6,0.02
"""


@pytest.fixture
def scored(tmp_path):
    file = tmp_path / "seed0.csv"
    file.write_text(SCORES)
    return file


def test_scores_are_runs(scored):
    first, second = scores.tracked(scored)
    assert first.name == "people, ifca, seed 0"
    assert first.parameters == {"setting": "people", "data": "har", "seed": 0, "method": "ifca"}
    assert first.scores == {
        1: {"accuracy": 0.5},
        2: {"accuracy": 0.75, "accuracy/worst_fifth/var": 0.01},
    }
    assert second.scores[2]["accuracy"] == 0.6
    scored.write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="it lacks the column setting"):
        list(scores.tracked(scored))


class Noted:
    """Notes what is called, in place of a tracker."""

    def __init__(self):
        self.calls = []

    def __getattr__(self, name):
        def call(*args, **named):
            self.calls.append((name, *args, named))
            return self

        return call

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@pytest.mark.parametrize(
    ("name", "package", "call"),
    [
        ("mlflow", "mlflow", ("log_metrics", {"accuracy": 0.6, "accuracy/worst_fifth/var": 0.02})),
        ("trackio", "trackio", ("log", {"accuracy": 0.6, "accuracy/worst_fifth/var": 0.02})),
        ("tensorboard", "torch.utils.tensorboard", ("add_scalar", "accuracy", 0.6)),
    ],
)
def test_trackers_get_all_scores(scored, monkeypatch, name, package, call):
    noted, module = Noted(), ModuleType(package)
    module.__getattr__ = lambda attribute: getattr(noted, attribute)
    monkeypatch.setitem(sys.modules, package, module)
    exporting.load(name)().write(scored, "mine")
    assert any(one[: len(call)] == call for one in noted.calls), noted.calls
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UserError, match=rf"pip install 'fedreact\[{name}\]'"):
        exporting.load(name)().write(scored, "mine")
    assert isinstance(pd.read_csv(scored), pd.DataFrame)
