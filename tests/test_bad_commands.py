"""Commands under any options: the whole output, or one line and exit status 2."""

import json

import numpy as np
import pytest
from bad_input import (
    FEW,
    few,
    make,
    right_words_of,
    whole_or_one_line,
    words_of,
    wrong_words_of,
)
from helpers import ROOT, SCALES
from hypothesis import given
from hypothesis import strategies as st
from small_cli import call as call_fedreact

from fedreact import npz, plugins
from fedreact.clients.partition import Partition
from fedreact.errors import UserError
from fedreact.reading import read_yaml

pytestmark = pytest.mark.campaign


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("made"))


def read_scores(path):
    """All lines have all fields, and every score is a number, where one is defined."""
    header, *lines = path.read_text().splitlines()
    names = header.split(",")
    assert lines
    found = set(names) & {"accuracy", "f1", "rmse", "wcss"}
    assert found
    for line in lines:
        fields = dict(zip(names, line.split(","), strict=True))
        assert all(np.isfinite(float(fields[name])) for name in found)


# ---- Partitions ---------------------------------------------------------------------------------

SHARES = (["0.2", "0.5", "1e-300"], ["0", "1", "-1", "nan", "inf", "x"])
AMOUNTS = {
    "cluster_sizes": (["1", "2,3", "3,1"], ["0,2", "-1", "99", "2,x", "", "null"]),
    "samples_per_client": (["20", "5", "1000000"], ["1", "-4", "2.5", "null"]),
    "test_share": SHARES,
}
BETA = (["1", "0.1", "1e37"], ["0", "-1", "nan", "inf", "1e299", "x"])
PARTITIONERS = {
    "aligned": {
        "clients": (["5", "2", "null"], ["6", "0", "x"]),
        "series": (["3", "null"], ["0", "-1", "x"]),
        "clock": (["own"], ["x"]),
        "test_share": SHARES,
    },
    "chunks": {
        "sizes": (["2,3", "1,1,1,1", "1e-9,1"], ["2", "1,2,3", "0,1", "-1,1", "x,1", "", "null"]),
        "n_labels": (["3"], ["1", "0", "99", "x", "null"]),
        "test_share": SHARES,
    },
    "dirichlet": AMOUNTS | {"beta": BETA, "min_samples": (["2", "5"], ["0", "-3", "999"])},
    "labels": AMOUNTS
    | {"labels": (["0_1", "0,1_2", "0", "2_0"], ["9_0", "a_0", "_0", "", "0_1_2", "-1_0"])},
    "owner": {
        "clients": (["5", "null"], ["6", "0", "x"]),
        "split": (["random", "chronological"], ["x"]),
        "test_share": SHARES,
        "gap": (["0", "3"], ["-1", "99"]),
    },
    "switching": AMOUNTS | {"beta": BETA},
    "supports": AMOUNTS | {"supports": (["1,2", "2,1", "3"], ["0,3", "-1,4", "1,2,3", "1,1"])},
}
NEEDED = {
    "aligned": [],
    "chunks": ["--n-labels", "3"],
    "dirichlet": ["--cluster-sizes", "2,3", "--beta", "1", "--min-samples", "5"],
    "labels": ["--cluster-sizes", "2,3", "--labels", "0;1,2"],
    "owner": [],
    "switching": ["--cluster-sizes", "2,3", "--beta", "1"],
    "supports": ["--cluster-sizes", "2,3", "--supports", "1,2"],
}


def test_all_partitioners_are_here():
    assert sorted(PARTITIONERS) == plugins.names("clients/partitioners", "PARTITIONER")


@pytest.mark.parametrize("by", list(PARTITIONERS))
@few(5)
@given(
    data=st.sampled_from(["plain"] * 9 + ["gap", "one-label", "tiny", "targets", "trials"]),
    seed=st.sampled_from(["0"] * 9 + ["-1"]),
    choice=st.data(),
)
def test_any_options_of_make_partition(made, by, data, seed, choice):
    words = NEEDED[by] + choice.draw(words_of(**PARTITIONERS[by]))
    words = [by, "--data", made.folder / f"data-{data}.npz", "--seed", seed, *words]

    def read(path):
        drawn = Partition.load(path, len(made.data[data].y))
        for train, test in zip(drawn.train, drawn.test):
            assert not set(train) & set(test)

    whole_or_one_line("make_partition.py", *words, output=made.output, read=read)


# ---- Runs ---------------------------------------------------------------------------------------

METHODS = read_yaml(ROOT / "config/papers/fed_react/experiment.yaml")["methods"]
"""Methods of the paper, by kind of run."""

ALONE = {
    name: {"algorithm": name} for name in plugins.names("kinds/clustered/algorithms", "ALGORITHM")
}
"""Each algorithm with its defaults, in one method of its name."""


def run(made, kind, words, methods=None, read=read_scores):
    words = [kind, "--setting", "s", "--seed", "0", "--device", "cpu", *words]
    words += [] if methods is None else ["--methods", json.dumps(methods)]
    return whole_or_one_line("run.py", *words, output=made.output, read=read)


MANY = ("ec-mma-25", "ec-mma-40", "ec-mma-50")  # clusters, of 5 clients
CHANGES = [{"n_clusters": n} for n in (0, 99, 1, 3, "elbow", "silhouette", "x", None, 1.5, [2])]
CHANGES += [{"steps": n} for n in ("x", 1.5, 0, 1)] + [{"memory": m} for m in ([1], "a1", "none")]
CHANGES += [{"learning_rate": n} for n in ("x", float("nan"), -1, 1e30, 1e300)]
CHANGES += [{"start": 1}, {"start": "clients"}, {"memberships": "x"}, {"memberships": 99}]
CHANGES += [{"merge_rounds": "x"}, {"merge_rounds": 0}, {"r": "x"}, {"q": 0}, {"p0": 1e-299}]
CHANGES += [{"iterations": 1.5}, {"iterations": 0}, {"learn": "x"}, {"learn": "fqr"}]
CHANGES += [{"setting": 1}, {"truth": 1}, {"": 1}, {"algorithm": "x"}, {"algorithm": None}]
CHANGES += [{"algorithm": ["ifca"]}, {"algorithm": "../ifca"}, {"clusters": "each"}]
DRIFTS = (
    [
        *["null"] * 3,
        "kind:switching,p01:0.1,p10:0.2",
        "kind:visiting,probability:0.5",
        "kind:migration,probability:0.3",
    ],
    ["kind:x", "kind:switching,p01:0,p10:0", "kind:visiting,probability:2", "kind:visiting", "x"]
    + ["kind:switching,p01:x,p10:1", "probability:1", "kind:migration,probability:null", ""]
    + ["kind:migration,probability:nan", "kind:", "kind:visiting,probability:1,rounds:3"]
    + ["kind:visiting,rng:1,probability:1"],
)
TASK_MODELS = {
    "feature_scaling": (["none", "standard"], ["x"]),
    "C": (["1", "1e-9", "1e37"], ["0", "nan", "1e300"]),
    "loss": (["hinge", "squared_hinge"], ["x"]),
    "regressor": (["ridge", "mean", "last", "sgd"], ["x"]),
    "penalty": (["1", "1e-9", "1e37"], ["0", "nan", "-1"]),
    "linkage": (["ward", "average", "ward-rows"], ["x"]),
}


OPTIONS = TASK_MODELS | {
    "n_clusters": (["2", "elbow", "silhouette", "null"], ["99", "0", "x", "1.5"]),
    "samples_per_round": (["1", "9", "99"], ["0", "-1"]),
    "rounds": (["1", "2", "3"], ["0", "-1"]),
    "participation": (["0.5", "1"], ["0", "2", "nan"]),
    "affect_iterations": (["1", "2"], ["0", "-1"]),
    "affect_start": (["zeros", "first"], ["x"]),
    "affect_first_alpha": (["before", "zero"], ["x"]),
    "send": (["always", "unchanged"], ["x"]),
    "unsent": (["kept", "own"], ["x"]),
    "identity": (["cluster", "client"], ["x"]),
    "test_on": (["round", "long-run"], ["x"]),
    "drift": DRIFTS,
}


@few(15)
@given(
    wrong=st.sampled_from(["nothing", "nothing", "an option", "features", "files", "the method"]),
    method=st.sampled_from([(n, m) for n, m in METHODS["clustered"].items() if n not in MANY]),
    choice=st.data(),
)
def test_any_options_of_a_clustered_run(made, wrong, method, choice):
    def one(what, right, others):
        return choice.draw(st.sampled_from(others if wrong == what else right))

    name, content = method
    words_of_options = wrong_words_of if wrong == "an option" else right_words_of
    features = one("features", ["plain", "plain", "zeros"], ["nan", "short", "flat", "texts"])
    change = one("the method", [{}], CHANGES)
    data = one("files", ["plain"], ["gap", "targets", "vectors", "labels", "tiny"])
    partition = one(
        "files",
        ["plain", "one-client", "owners", "states", "states", "supports"],
        ["plain", "gap", "states"],
    )
    words = [*made.words(data, partition, features), "--rounds", "2"]
    words += choice.draw(words_of_options(**OPTIONS))
    methods = {name: {"algorithm": name} | content | change, "local": METHODS["clustered"]["local"]}
    run(made, "clustered", words, methods)


@FEW
@given(
    data=st.sampled_from(["plain", "plain", "targets", "vectors", "labels", "tiny"]),
    partition=st.sampled_from(["plain", "plain", "one-client", "states"]),
    options=words_of(
        samples=(["1,9", "9999"], ["0", "-1", ""]),
        rounds=(["1", "2"], ["0", "-1"]),
        max_clusters=(["3", "99"], ["2", "0", "-1"]),
        **TASK_MODELS,
    ),
)
def test_any_options_of_an_estimate_of_the_number_of_clusters(made, data, partition, options):
    words = [*made.words(data, partition, "plain"), "--samples", "9", *options]
    run(made, "n_clusters", words)


OPTIMIZERS = (
    ["kind:adam", "kind:sgd,momentum:0.5", "kind:dtssgd,window:3,decay:0.5"],
    ["kind:x", "window:3", "", "x", "null", "kind:adam,window:3", "kind:dtssgd,window:0", "kind:"]
    + ["kind:dtssgd,decay:nan", "kind:sgd,momentum:-1", "kind:sgd,weight_decay:1e37"],
)
TRAINING = {
    "rounds": (["1", "2"], ["-1", "x"]),
    "batch_size": (["2", "20"], ["0", "-1", "x"]),
    "learning_rate": (["0.01", "1e-37"], ["nan", "0", "1e30", "x"]),
    "optimizer": OPTIMIZERS,
}
OF_METHODS = [{"mu": -1}, {"lam": "x"}, {"alpha": 2}, {"adaptive": 1}, {"learning_rate": 0.1}]
OF_METHODS += [{"architecture": "lstm"}, {"steps": 1.5}, {"setting": 1}, {"algorithm": 7}]


@few(5)
@given(
    data=st.sampled_from(["plain", "plain", "gap", "targets", "vectors", "labels", "long"]),
    partition=st.sampled_from(["plain", "plain", "one-client", "owners", "states"]),
    algorithm=st.sampled_from(plugins.names("kinds/synchronous/algorithms", "ALGORITHM")),
    change=st.sampled_from([{}] * 20 + OF_METHODS),
    options=words_of(
        architecture=(["causal-cnn", "lstm"], ["x", "../causal-cnn", ""]),
        epochs=(["1"], ["0"]),
        precision=(["float32", "bfloat16"], ["float64"]),
        score=(["all", "last"], ["x"]),
        validate=(["true", "false"], ["1", "x"]),
        **TRAINING,
    ),
)
def test_any_options_of_a_synchronous_run(made, data, partition, algorithm, change, options):
    words = [*made.words(data, partition), "--architecture", "lstm", "--rounds", "1"]
    words += ["--steps", "1", "--batch-size", "2", "--checkpoint", made.folder / "c.npz", *options]
    run(made, "synchronous", words, {algorithm: {"algorithm": algorithm} | change})


def clustered(made, methods, *words, data="plain", partition="plain"):
    words = [*made.words(data, partition, "plain"), "--rounds", "2", *words]
    return run(made, "clustered", words, methods)


@pytest.mark.parametrize("partition", ["one-client", "gap", "plain"])
def test_every_method_with_one_client_and_with_an_empty_class(made, partition):
    data = "gap" if partition == "gap" else "plain"
    few = [m for m in METHODS["clustered"] if "n_clusters" not in METHODS["clustered"][m]]
    methods = {name: {"algorithm": name} | METHODS["clustered"][name] for name in few}
    assert clustered(made, methods, data=data, partition=partition) is None
    assert clustered(made, ALONE, data=data, partition=partition) is None


@pytest.mark.parametrize("clusters", ["1", "2", "5", "elbow", "silhouette"])
def test_every_method_whatever_the_number_of_clusters(made, clusters):
    words = ["--n-clusters", clusters]
    assert clustered(made, ALONE, *words) is None
    assert clustered(made, ALONE, *words, partition="owners") is None
    assert clustered(made, {n: m | {"n_clusters": 2} for n, m in ALONE.items()}, *words) is None


def test_more_clusters_than_clients_and_unknown_methods(made):
    sc = {"algorithm": "fed-react", "evolutionary": False, "memory": "none"}
    assert "5 clients cannot be 6 clusters" in clustered(made, {"sc": sc}, "--n-clusters", "6")
    assert "method sc: 5 clients cannot be 6" in clustered(made, {"sc": sc | {"n_clusters": 6}})
    said = clustered(made, {"sc-mma": {}})
    assert (
        "method sc-mma: 'sc-mma' is unknown among kinds/clustered/algorithms; known: fed-react"
        in said
    )
    words = ["--n-clusters", "silhouette"]
    assert "3 clients" in clustered(made, {"sc": sc}, *words, partition="one-client")
    assert "'x'" in clustered(made, {"sc": sc}, "--n-clusters", "x")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--methods", "{"], "--methods: not JSON"),
        (["--methods", "[1]"], "--methods: wanted options of methods by name, got [1]"),
        (["--methods", '{"local": [1]}'], "--methods: wanted options of methods by name"),
        (["--methods", '{"local": null}'], "--methods: wanted options of methods by name"),
        (["--methods", "{}"], "--methods is missing"),
        ([], "--methods is missing"),
        (["--metrics", "accuracyy"], "'accuracyy' is unknown among metrics; known: accuracy"),
        (["--metrics", "rmse"], "metric rmse is not available for classification"),
        (["--metrics", "rand"], "metric rand is not available for classification"),
        (["--rounds", "two"], "rounds"),
        (["--drift", "switching"], "drift"),
    ],
)
def test_wrong_words_of_a_clustered_run(made, words, said):
    base = [*made.words("plain", "plain", "plain"), "--rounds", "1"]
    if words and words[0] != "--methods":
        base += ["--methods", json.dumps({"local": METHODS["clustered"]["local"]})]
    assert said in run(made, "clustered", [*base, *words])


def test_methods_that_cannot_run_on_a_task(made):
    for data in ("targets", "vectors"):
        for name in plugins.names("kinds/clustered/algorithms", "ALGORITHM"):
            said = clustered(made, {name: {}}, data=data)
            fit = ("fed-react", "fed-react-personal", "given-clusters", "gossip")
            trains = name not in fit
            assert (said is not None) == trains
            assert not trains or f"method {name} cannot run on regression: its clients" in said


def test_features_that_are_missing(made):
    words = made.words("plain", "plain")
    methods = {"local": METHODS["clustered"]["local"]}
    assert "--features is missing" in run(made, "clustered", words, methods)
    assert "--features is missing" in run(made, "n_clusters", words)


@pytest.mark.parametrize("architecture", ["lstm", "timesnet", "patchtst", "causal-cnn"])
@pytest.mark.parametrize("data", ["long", "gap", "targets", "vectors", "labels"])
def test_supervised_baselines_with_long_series_an_empty_class_and_other_tasks(
    made, architecture, data
):
    words = [*made.words(data, "plain"), "--rounds", "1", "--architecture", architecture]
    words += ["--steps", "1", "--batch-size", "2", "--checkpoint", made.folder / "c.npz"]
    assert run(made, "synchronous", words, {"fedavg": {}}) is None


# ---- Encoders -----------------------------------------------------------------------------------


def train(made, *words, data="plain", partition="plain"):
    words = [*made.words(data, partition), "--seed", "0", "--rounds", "1", *words]

    def read(path):
        found = npz.load(path, "encoder", ["theta", "encoder", "costs"])
        assert np.isfinite(found["theta"]).all()

    words += ["--device", "cpu"]
    return whole_or_one_line("train_encoder.py", *words, output=made.output, read=read)


@FEW
@given(
    data=st.sampled_from(["plain", "plain", "gap", "targets", "labels", "long"]),
    partition=st.sampled_from(["plain", "one-client", "owners", "states"]),
    options=words_of(
        encoder=(["table12", "franceschi"], ["gruu", "../table12", ""]),
        steps=(["1", "2"], ["0", "x"]),
        negatives=(["1", "3"], ["0", "-1"]),
        negative_weighting=(["mean", "sum"], ["x"]),
        **TRAINING,
    ),
)
def test_any_options_of_training(made, data, partition, options):
    train(made, "--steps", "1", *options, data=data, partition=partition)


def test_series_longer_than_100_train_and_are_encoded(made):
    assert train(made, "--steps", "1", data="long") is None
    made.output.replace(made.folder / "encoder.npz")

    def read(path):
        features = npz.load(path, "features", ["features"])["features"]
        assert features.shape == (60, 320)
        assert np.isfinite(features).all()

    for data in ("long", "plain"):
        words = [
            "--encoder",
            made.folder / "encoder.npz",
            "--data",
            made.folder / f"data-{data}.npz",
        ]
        assert (
            whole_or_one_line("extract_features.py", *words, output=made.output, read=read) is None
        )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"theta": np.zeros(3, np.float32)}, "trained for other data"),
        ({"theta": np.float32(3)}, "trained for other data"),
        ({"theta": None}, "lacks theta"),
        ({"encoder": np.array("gruu")}, "'gruu' is unknown among models/encoders"),
        ({"encoder": np.array(["a", "b"])}, "is unknown among models/encoders"),
        ({"theta": "texts"}, "weights"),
        ({"theta": "doubles"}, "weights"),
        ({"theta": "nan"}, "weights"),
    ],
)
def test_encoders_that_are_none(made, changes, said):
    assert train(made, "--steps", "1") is None
    arrays = npz.load(made.output, "encoder", [])
    theta = arrays["theta"]
    as_named = {"texts": theta.astype(str), "doubles": theta.astype(float), "nan": theta * np.nan}
    for name, value in changes.items():
        arrays[name] = as_named[value] if isinstance(value, str) else value
    npz.save(made.folder / "encoder.npz", **{k: v for k, v in arrays.items() if v is not None})
    words = ["--encoder", made.folder / "encoder.npz", "--data", made.folder / "data-plain.npz"]
    output = made.output
    assert said in whole_or_one_line(
        "extract_features.py", *words, output=output, read=Partition.load
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--encoder", "gruu"],
            "'gruu' is unknown among models/encoders; known: franceschi, table12",
        ),
        (["--steps", "0"], "steps"),
        (["--rounds", "-1"], "rounds"),
        (["--batch-size", "0"], "batch"),
        (["--negatives", "0"], "negatives"),
        (["--learning-rate", "nan"], "learning_rate"),
        (["--learning-rate", "1e30"], "diverged"),
        (["--workers", "0"], "workers"),
        (["--optimizer", "kind:dtssgd,window:0"], "window"),
        (["--optimizer", "kind:dtssgd,decay:nan"], "decay"),
        (["--optimizer", "window:3"], "optimizer: wanted a kind and its options"),
        (["--optimizer", "dtssgd"], "optimizer"),
    ],
)
def test_wrong_options_of_training(made, words, said):
    assert said in train(made, "--steps", "3", *words)
    assert not made.output.with_suffix(".checkpoint.npz").exists()


def test_an_encoder_that_is_not_trained(made):
    assert train(made, "--rounds", "0") is None


# ---- Other commands -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--study", "{"], "--study: not JSON"),
        (["--study", "[]"], "--study: wanted a kind and its options, got []"),
        (["--study", '{"kind": "csts"}'], "--study: 'csts' is unknown among studies; known: comm"),
        (["--study", '{"kind": "theorem1", "clients": 0}'], "--study: clients: expected int >= 1"),
        (["--study", '{"kind": "costs"}'], "--study: architectures is missing"),
        (["--study", '{"kind": "costs", "architectures": {"a": "x"}}'], "'x' is unknown among mod"),
        (["--study", '{"kind": "theorem1"}', "--seeds", "x"], "--seeds: invalid int value: 'x'"),
    ],
)
def test_wrong_words_of_a_study(made, words, said):
    output = made.output
    assert said in whole_or_one_line("study.py", *words, output=output, read=Partition.load)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--dataset", "nothing"],
            "dataset 'nothing' is unknown; known: rtd, sheffield-air, pendigits",
        ),
        (["--dataset", "../x"], "dataset '../x' is unknown"),
        (["--dataset", "eeg-sim", "--options", "n_trials"], "n_trials: expected int, got None"),
        (["--dataset", "eeg-sim", "--options", "n_trials=0"], "n_trials: expected int >= 1, got 0"),
        (["--dataset", "eeg-sim", "--options", "trials=1"], "'trials' is unknown; known: n_subj"),
        (["--dataset", "eeg-sim", "--registry", "none.yaml"], "none.yaml: no such file"),
    ],
)
def test_wrong_words_of_preparing(made, monkeypatch, words, said):
    monkeypatch.chdir(ROOT)
    words = [*words, "--data-folder", made.folder / "nothing"]
    output = made.output
    assert said in whole_or_one_line("prepare_data.py", *words, output=output, read=Partition.load)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dataset", "nothing"], "'nothing' is unknown among data/sources; known: air-digits"),
        (["--dataset", "eeg-sim"], "eeg-sim: it has no part 'nowhere'; its parts: none"),
        (["--dataset", "sumo-ev"], "sumo-ev: it has no part 'nowhere'; its parts: plain"),
        (["--dataset", "sumo-ev", "--options", "share=2"], "share: expected float <= 1.0, got 2"),
        (["--dataset", "sumo-ev", "--options", "share"], "share: "),
    ],
)
def test_wrong_words_of_a_part(made, words, said):
    words = [*words, "--part", "nowhere"]
    output = made.output
    assert said in whole_or_one_line("prepare_part.py", *words, output=output, read=Partition.load)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--scale", "huge"],
            f"scale: 'huge' is unknown; known scales: {', '.join(SCALES)}",
        ),
        (["--config", "dataset=["], "dataset=[: wanted key=value"),
        (["--config", "dataset"], "dataset: expected str, got None"),
        (["--config", "papers=[fed]"], "papers: 'fed' is unknown"),
        (["--config", "dtaset=rtd"], "unknown key dtaset"),
    ],
)
def test_wrong_words_of_planning(monkeypatch, words, said):
    monkeypatch.chdir(ROOT)
    with pytest.raises(UserError) as caught:
        call_fedreact("plan", "--scale", "smoke", *words)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("script", "words", "said"),
    [
        (
            "make_table.py",
            ["--tables", "t.yaml", "--name", "x"],
            "yaml: 'x' is unknown; known: a",
        ),
        ("make_table.py", ["--tables", "t.yaml", "--name", "a", "--layout", "["], "--layout: not"),
        ("make_table.py", ["--tables", "x.yaml", "--name", "a"], "x.yaml: no such file"),
        ("make_figure.py", ["--figures", "t.yaml", "--name", "x", "--data", "d"], "'x' is unknown"),
        (
            "measure_search.py",
            ["--searches", "t.yaml", "--name", "x", "--layout", "[]", "--taken", "[]"],
            "'x' is unknown",
        ),
    ],
)
def test_wrong_words_of_outputs(tmp_path, monkeypatch, script, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text("a: {title: t, metrics: [accuracy]}\n")
    (tmp_path / "s.csv").write_text("setting,data,seed,method,round,accuracy\ns,d,0,m,1,0.5\n")
    words = [*words, "--scale", "smoke", "--scores", "s.csv"]
    output = tmp_path / "out.csv"
    assert said in whole_or_one_line(script, *words, output=output, read=Partition.load)
