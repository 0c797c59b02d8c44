"""The library by hand: its parts by their names, its examples, its notebooks."""

import doctest
import re
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest
from helpers import ROOT
from sklearn.utils.estimator_checks import parametrize_with_checks

import fedreact
from fedreact.clustering import evolutionary
from fedreact.clustering.affect import affect
from fedreact.clustering.hierarchical import agglomerative, cosine_similarity
from fedreact.data import own
from fedreact.errors import UserError

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("name", fedreact.PARTS)
def test_each_part_is_there_and_documented(name):
    part = getattr(fedreact, name)
    assert part.__module__ == fedreact.PARTS[name]
    assert part.__doc__
    assert name in dir(fedreact)
    assert f"`{name}`" in (ROOT / "docs/howto/notebook.md").read_text()


def test_an_unknown_part_is_refused_and_importing_loads_nothing():
    with pytest.raises(AttributeError, match="no part 'nothing'"):
        _ = fedreact.nothing
    code = "import sys, fedreact; print(any(m in sys.modules for m in ('numpy', 'torch')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_examples_are_as_they_say():
    found = doctest.testmod(evolutionary)
    assert found.attempted > 3
    assert found.failed == 0


@parametrize_with_checks([evolutionary.EvolutionaryClustering()])
def test_it_is_an_estimator_as_scikit_learn_has_them(estimator, check):
    check(estimator)


def test_rounds_by_hand_are_those_of_the_algorithm():
    rng = np.random.default_rng(1)
    psi, alpha, by_hand = np.zeros((9, 9)), 0.0, fedreact.EvolutionaryClustering(3)
    for _ in range(4):
        models = rng.normal(size=(9, 5))
        W = cosine_similarity(models)
        psi, alpha, labels = affect(W, psi, lambda s: agglomerative(s, 3), alpha)
        by_hand.partial_fit(models)
        assert by_hand.labels_.tolist() == labels.tolist()
        assert by_hand.alpha_ == alpha
    assert by_hand.n_rounds_ == 4
    precomputed = fedreact.EvolutionaryClustering(3, affinity="precomputed").fit(W)
    assert (
        precomputed.labels_.tolist()
        == fedreact.EvolutionaryClustering(3).fit(models).labels_.tolist()
    )
    with pytest.raises(ValueError, match="there were 9 rows"):
        by_hand.partial_fit(models[:5])


def test_what_does_not_fit_is_one_clear_line():
    X, client = np.zeros((8, 1, 5)), np.arange(8) // 4
    with pytest.raises(UserError, match=r"X must be numbers \[N, channels, T\], .* \(8, 5\)"):
        fedreact.dataset(X[:, 0], client, client)
    with pytest.raises(UserError, match=r"unknown array trials; known: .*trial"):
        fedreact.dataset(X, client, client, trials=client)
    data = fedreact.dataset(X, client, client)
    clients = fedreact.clients_of(data, test_share=0.3)
    with pytest.raises(UserError, match="clustered methods need features"):
        fedreact.compare(data, clients, {"mean": {"algorithm": "fedavg"}})
    with pytest.raises(UserError, match=r"owner: .*test_shar.*did you mean test_share"):
        fedreact.clients_of(data, test_shar=0.3)
    with pytest.raises(UserError, match=r"X: its entries have different shapes"):
        fedreact.dataset([[[1.0, 2.0]], [[1.0]]], [0, 1], [0, 1])
    with pytest.raises(UserError, match=r"'sync' is unknown; known: .*synchronous"):
        fedreact.compare(data, clients, {"mean": {"algorithm": "fedavg"}}, kind="sync")
    with pytest.raises(UserError, match=r"method mean: wanted a mapping"):
        fedreact.compare(data, clients, {"mean": "fedavg"}, kind="synchronous")


def test_dates_are_seconds():
    time = np.array(["2026-01-01", "2026-01-02"] * 4, "datetime64[D]")
    data = fedreact.dataset(np.ones((8, 1, 5)), np.arange(8) % 2, np.arange(8) // 4, time=time)
    assert np.diff(data.time[:2]).tolist() == [86400.0]
    time[3] = np.datetime64("NaT")
    with pytest.raises(UserError, match="time"):
        fedreact.dataset(np.ones((8, 1, 5)), np.arange(8) % 2, np.arange(8) // 4, time=time)


def test_several_labels_of_a_series_are_labels():
    y = np.arange(16).reshape(8, 2) % 3 == 0
    assert fedreact.dataset(np.zeros((8, 1, 5)), y, np.arange(8)).task.kind == "multi-label"


def test_strings_and_all_arrays_of_a_file_are_taken():
    who, labels = ["bob"] * 4 + ["ann"] * 4, pd.Series(list("uduuddud"))
    X = np.random.default_rng(0).normal(size=(8, 2, 5))
    X[:, :, 4] = 0
    data = fedreact.dataset(
        X,
        labels,
        who,
        lengths=np.full(8, 4),
        trial=np.arange(8),
        time=np.arange(8.0),
        channel_names=["x", "y"],
    )
    assert data.owner_names.tolist() == ["ann", "bob"]
    assert data.label_names.tolist() == ["d", "u"]
    assert data.lengths.tolist() == [4] * 8
    assert data.channel_name(1) == "y"
    assert fedreact.clients_of(data, test_share=0.5).names.tolist() == ["ann", "bob"]


def test_tables_and_files_are_taken(tmp_path):
    table = pd.DataFrame(
        {
            "person": np.repeat(["bob", "ann"], 40),
            "act": np.tile(np.repeat(["sit", "walk"], 20), 2),
            "x": np.arange(80.0),
        }
    )
    table.to_csv(tmp_path / "a.csv", index=False)
    np.savez(tmp_path / "b.npz", X=np.ones((4, 1, 3)), y=np.arange(4) % 2)
    for source in (table, str(tmp_path / "a.csv"), tmp_path / "a.csv"):
        data = fedreact.dataset(source, client="person", label="act", window="5", channels="x")
        assert data.X.shape == (16, 1, 5)
        assert data.owner_names.tolist() == ["ann", "bob"]
    assert fedreact.dataset(tmp_path / "b.npz").X.shape == (4, 1, 3)
    with pytest.raises(UserError, match=r"unknown argument windw; known: .*did you mean window\?"):
        fedreact.dataset(table, client="person", label="act", windw="5")
    with pytest.raises(UserError, match="no column 'persn'"):
        fedreact.dataset(table, client="persn", label="act", window="5")
    with pytest.raises(UserError, match="not by y"):
        fedreact.dataset(table, table["act"])


def test_several_seeds_give_means_with_intervals():
    rng = np.random.default_rng(0)
    client, y = np.repeat(list("abcd"), 20), rng.integers(2, size=80)
    X = np.sin((1 + y[:, None, None]) * np.linspace(0, 6, 16)) + 0.5 * rng.normal(size=(80, 1, 16))
    data = fedreact.dataset(X, y, client)
    result = fedreact.compare(
        data,
        lambda seed: fedreact.clients_of(data, seed, test_share=0.3),
        {"FedAvg": {"algorithm": "fedavg"}, "constant": {"algorithm": "constant"}},
        kind="synchronous",
        seeds=3,
        architecture="cnn-small",
        rounds=2,
        epochs=1,
    )
    assert set(result.scores["seed"]) == {0, 1, 2}
    means = result.means()
    assert means.index.tolist() == ["FedAvg", "constant"]
    assert (means["n_seeds"] == 3).all()
    last = result.scores.query("method == 'FedAvg' and round == 2")["accuracy"]
    assert means.loc["FedAvg", "mean"] == pytest.approx(last.mean())
    difference = result.differences("constant").loc["FedAvg"]
    assert difference["mean"] == pytest.approx(means["mean"].diff().iloc[1] * -1)
    assert difference["ci_low"] <= difference["mean"] <= difference["ci_high"]
    axes = result.plot().axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["FedAvg", "constant"]
    assert result.left_out == {}
    with pytest.raises(UserError, match="no metric 'f2'; there are accuracy"):
        result.means("f2")
    one = fedreact.compare(
        data,
        fedreact.clients_of(data, 1, test_share=0.3),
        {"constant": {"algorithm": "constant"}},
        kind="synchronous",
        seed=1,
        architecture="cnn-small",
        rounds=2,
        epochs=1,
    )
    there = result.scores.query("method == 'constant' and seed == 1")
    assert one["accuracy"].tolist() == there["accuracy"].tolist()


@pytest.mark.campaign
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_top_to_bottom_and_hold_no_outputs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    there = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
            exec(compile(cell.source, f"{path.name}: {cell.id}", "exec"), there)
    assert list(tmp_path.iterdir()) == []
    last = there["scores"].groupby("method")["accuracy"].last()
    if path.stem == "fed_react":
        assert last["Fed-REACT"] > last["one mean"]
    elif path.stem == "csv_folder":
        assert last.drop("constant").min() > last["constant"]
    else:
        assert {"mine", "fedavg", "fedst", "ditto"} <= set(last.index)
        assert there["scores"].attrs["left_out"] == {}


def test_the_lines_of_the_page_run_as_they_stand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page, there = (ROOT / "docs/howto/notebook.md").read_text(), {}
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 7
    for block in blocks:
        exec(block, there)
    assert set(there["scores"]["method"]) == {"Fed-REACT", "alone"}
    assert there["clusterer"].n_rounds_ == 4
    assert there["evidence"].difference == pytest.approx(0.0206667, abs=1e-6)
    assert list(tmp_path.iterdir()) == []


def test_the_file_that_a_page_writes_is_data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/howto/own_data.md").read_text()
    exec(re.search(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1], {})
    data = own.read(tmp_path / "example.npz", "example")
    assert data.X.shape == (240, 3, 50)
    assert data.task.kind == "classification"
