"""Bad input ends in one clear line, and nothing is written that looks whole and is not."""

import contextlib
import copy
import io
import runpy
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from test_config import BASE
from test_eegmmidb import write_edf

from fedreact import npz
from fedreact.data import eegmmidb, own, pendigits, rtd
from fedreact.data.dataset import SeriesDataset
from fedreact.errors import UserError
from fedreact.methods import METHODS
from fedreact.paper import cells
from fedreact.partition import (
    Partition,
    drifting_partition,
    partition,
    partition_by_subject,
)
from fedreact.workflow import config
from fedreact.workflow.reading import read_yaml

FEW = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
MORE = settings(FEW, max_examples=120)


def call(script, *words):
    """Run a command in this process; its status and what it printed."""
    printed, before = io.StringIO(), sys.argv
    sys.argv = [script, *map(str, words)]
    try:
        with (
            contextlib.redirect_stderr(printed),
            contextlib.redirect_stdout(printed),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            runpy.run_path(str(ROOT / "scripts" / script), run_name="__main__")
        return 0, printed.getvalue()
    except SystemExit as stop:
        return stop.code, printed.getvalue()
    finally:
        sys.argv = before


def whole_or_one_line(script, *words, output, read):
    """Run a command: either its output is whole, or there is none and one line that says why."""
    output.unlink(missing_ok=True)
    status, printed = call(script, *words, "--output", output)
    assert not list(output.parent.glob("*.part"))
    if status == 0:
        read(output)
        return None
    assert status == 2
    assert not output.exists()
    errors = [line for line in printed.splitlines() if "error: " in line]
    assert errors == printed.splitlines()[-1:]
    return errors[0]


def read_scores(path):
    """All lines have all fields, and every score is a number."""
    header, *lines = path.read_text().splitlines()
    assert lines
    for line in lines:
        fields = dict(zip(header.split(","), line.split(","), strict=True))
        score = fields.get("accuracy") or fields.get("rmse") or fields["wcss"]
        assert np.isfinite(float(score))


def dataset(N=60, labels=3, steps=8, *, regression=False, trial=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2, steps)).astype(np.float32)
    y = rng.normal(size=N).astype(np.float32) if regression else np.arange(N) % labels
    trials = np.arange(N) // 2 if trial else None
    return SeriesDataset("made", X, np.full(N, steps), y, np.arange(N) // 12, trials)


class Made(NamedTuple):
    """The files, where a command writes to, and what is in some of the files."""

    folder: Path
    output: Path
    data: dict
    partitions: dict

    def __repr__(self):
        return str(self.folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Small datasets, partitions and features, good and bad ones."""
    folder = tmp_path_factory.mktemp("made")
    gap = dataset()
    gap.y[gap.y == 1] = 2  # nobody has label 1
    data = {
        "plain": dataset(),
        "gap": gap,
        "one-label": dataset(labels=1),
        "tiny": dataset(N=4, labels=2),
        "targets": dataset(regression=True),
        "trials": dataset(trial=True),
        "long": dataset(steps=150),
    }
    sizes = {"samples_per_client": 20, "test_share": 0.2}
    y = data["plain"].y
    partitions = {
        "plain": partition(y, [2, 3], 1.0, 0, min_samples=5, **sizes),
        "gap": partition(gap.y, [2, 3], 1.0, 0, min_samples=5, **sizes),
        "one-client": partition(y, [1], 1.0, 0, min_samples=5, **sizes),
        "subjects": partition_by_subject(data["plain"].subject, 0, test_share=0.2),
        "states": drifting_partition(y, [2, 3], 0, 1.0, **sizes),
        "supports": drifting_partition(y, [2, 3], 0, None, [1, 2], **sizes),
    }
    features = np.random.default_rng(1).normal(size=(60, 4)).astype(np.float32)
    nan, short = features.copy(), features[:10]
    nan[7, 1] = np.nan
    given_features = {"plain": features, "zeros": 0 * features, "nan": nan, "short": short}
    given_features |= {"flat": features.ravel(), "texts": features.astype(str)}
    for name, one in data.items():
        one.save(folder / f"data-{name}.npz")
    for name, one in partitions.items():
        one.save(folder / f"partition-{name}.npz")
    for name, array in given_features.items():
        npz.save(folder / f"features-{name}.npz", features=array, costs=np.ones(2))
    return Made(folder, folder / "out", data, partitions)


# ---- Readers ------------------------------------------------------------------------------------


def damaged(whole: bytes):
    """Bytes near a whole file: cut, changed, repeated, or nothing like it."""
    place = st.integers(0, len(whole) - 1)
    changed = st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=5)

    def change(changes):
        content = bytearray(whole)
        for at, value in changes:
            content[at] = value
        return bytes(content)

    return st.one_of(
        changed.map(change),
        place.map(lambda end: whole[:end]),
        st.tuples(place, place).map(lambda at: whole[: at[0]] + whole[at[1] :]),
        st.binary(max_size=200),
    )


def one_line_or_none(read, *given):
    """What a reader says of bad content; ``None`` if it can be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(*given)
        except UserError as error:
            said = str(error)
        else:
            return None
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("data-plain", SeriesDataset.load),
        ("partition-states", Partition.load),
        ("own", lambda path: own.read(path, "mine")),
    ],
)
@MORE
@given(choice=st.data())
def test_damaged_arrays(made, file, read, choice):
    path = made.folder / f"{file}.npz"
    if not path.exists():
        np.savez_compressed(path, X=made.data["plain"].X, y=made.data["plain"].y)
    broken = made.folder / "broken.npz"
    broken.write_bytes(choice.draw(damaged(path.read_bytes())))
    one_line_or_none(read, broken)


DIGITS = b""".LEXICON "0 1"
.SEGMENT DIGIT 0-1 ? "4"
.COMMENT 4 1 117
.PEN_DOWN
 10 20
 30 40
.PEN_UP
.DT 100
.PEN_DOWN
 5 6
.PEN_UP
.DT 100
"""


@MORE
@given(damaged(DIGITS))
@example(b"\x1f\x9d\x90")
def test_damaged_pendigits(content):
    assert len(pendigits.parse(DIGITS, "whole")) == 1
    one_line_or_none(pendigits.read, content, DIGITS)
    one_line_or_none(pendigits.parse, content, "file")


VALUES = st.one_of(
    st.floats(width=32), st.integers(-5, 10**400), st.none(), st.booleans(), st.text(max_size=3)
)


@MORE
@given(st.lists(st.one_of(st.lists(VALUES, max_size=7), VALUES), max_size=4), VALUES)
def test_pickles_of_other_than_digits(rows, label):
    import pickle

    features, labels = (pickle.dumps(content) for content in (rows, [label] * len(rows)))
    one_line_or_none(rtd.read, features, labels)


@settings(FEW, max_examples=30)
@given(choice=st.data())
def test_damaged_recordings(made, choice):
    whole, broken = made.folder / "whole.edf", made.folder / "S001R04.edf"
    if not whole.exists():
        write_edf(whole, np.random.default_rng(0).normal(0, 50, (23, 160 * 20)))
    content = whole.read_bytes()
    header = damaged(content[: 256 * 25]).map(lambda head: head + content[256 * 25 :])
    broken.write_bytes(choice.draw(st.one_of(header, damaged(content[:9000]))))
    one_line_or_none(eegmmidb.read, [(eegmmidb.recordings([1], [4])[0], broken)])


ARRAYS = st.one_of(
    st.sampled_from(
        [
            np.zeros((6, 2, 5)),
            np.ones((6, 2, 5), np.float16),
            np.full((6, 2, 5), np.inf),
            np.zeros((0, 2, 5)),
            np.zeros((6, 0, 5)),
            np.arange(6),
            np.arange(6) * 0.5,
            np.array(["a", "b"] * 3),
            np.array([b"a"] * 6),
            np.zeros(6, complex),
            np.zeros(6, "datetime64[s]"),
            np.zeros(6, [("a", int)]),
            np.array(3),
            np.arange(6, dtype=np.uint64) + 2**63,
            np.full(6, np.nan),
            np.full(6, -1),
        ]
    ),
    st.integers(0, 8).map(lambda n: np.zeros(n, np.int8)),
)


@MORE
@given(
    st.dictionaries(
        st.sampled_from(["X", "y", "client", "trial", "lengths", "label"]), ARRAYS, max_size=5
    )
)
@example({"X": np.ones((6, 2, 5)), "y": np.arange(6)})
def test_any_arrays_as_own_data(made, arrays):
    path = made.folder / "any.npz"
    np.savez(path, **arrays)
    words = ["prepare_data.py", "--dataset", "any", "--data-folder", made.folder / "x"]
    place = own.path(made.folder / "x", "any")
    place.parent.mkdir(parents=True, exist_ok=True)
    path.replace(place)
    whole_or_one_line(*words, output=made.output, read=SeriesDataset.load)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"clusters": np.zeros(0, int)}, "clients"),
        ({"clusters": np.zeros(5)}, "clusters must be integers"),
        ({"n_train": np.array([16] * 4 + [17])}, "n_train"),
        ({"n_test": np.array([4, 4, 4, 8, 0])}, "n_test"),
        ({"n_train": np.array([16] * 4)}, "n_train"),
        ({"train": np.full(80, -1)}, "of other data"),
        ({"train": np.full(80, 60)}, "60 samples"),
        ({"test": np.zeros(20)}, "test"),
        ({"distributions": np.zeros((2, 3))}, "distributions"),
        ({"distributions": np.full((2, 1, 3), np.nan)}, "distributions"),
    ],
)
def test_partitions_that_contradict_themselves_or_the_data(made, tmp_path, changes, words):
    made.partitions["plain"].save(tmp_path / "p.npz")
    arrays = npz.load(tmp_path / "p.npz", "partition", [])
    npz.save(tmp_path / "p.npz", **(arrays | changes))
    with pytest.raises(UserError, match=words):
        Partition.load(tmp_path / "p.npz", 60)


# ---- Configuration ------------------------------------------------------------------------------

CONFIGURED = [
    Path("config/experiments.yaml"),
    Path("config/outputs.yaml"),
    Path("config/assumptions.yaml"),
    Path("config/scales/smoke.yaml"),
]
WRONG = [None, "", "x", "a+b", "a+b=[", -1, 0, 1.5, float("inf"), float("nan"), [], {}, [None]]
WRONG += [{"x": 1}, True, 10**30, "../x", "two\nlines", "stationary10+C=nan", "stationary10+x=1"]


def places(content, at=()):
    """The path of each value in nested lists and mappings."""
    yield at
    if isinstance(content, dict | list):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for key, value in items:
            yield from places(value, (*at, key))


def mutated(content, at, how, wrong):
    """The content with one value replaced, left out, or with a further key beside it."""
    content = copy.deepcopy(content)
    if not at:
        return wrong
    node = content
    for key in at[:-1]:
        node = node[key]
    if how == "replace":
        node[at[-1]] = wrong
    elif how == "leave out":
        del node[at[-1]]
    elif isinstance(node, dict):
        node[wrong if isinstance(wrong, str | int | float) else "new"] = node[at[-1]]
    return content


def ask_everything(plan):
    """What Snakemake asks a plan for; it must not fail once the plan is made."""
    for name in plan.outputs["tables"]:
        plan.table_inputs(name)
    for name in plan.outputs["figures"]:
        plan.figure_inputs(name)
        plan.figure_sources(name)
    for ask in ("named_outputs", "search_inputs", "tune_inputs", "assumption_inputs"):
        getattr(plan, ask)()
    for name in plan.experiments["partitions"]:
        config.command_options(plan.partition_options(name))
        config.command_options(plan.phase1_options(name))
        plan.n_clients(name)
        plan.own_encoder(name)
    for name in plan.experiments["settings"]:
        config.command_options(plan.phase2_options(name))
        plan.n_clusters_options(name)
        plan.features("made", name, 0)
        plan.own_methods(name)
        for architecture in plan.experiments["supervised"]["architectures"]:
            config.command_options(plan.supervised_options(name, architecture))


@settings(FEW, max_examples=150)
@given(choice=st.data())
def test_any_change_of_the_configuration(monkeypatch, choice):
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("FEDREACT_DATA_MIRROR", raising=False)
    known = configured()
    which = choice.draw(st.sampled_from(["config", *CONFIGURED]))
    content = BASE if which == "config" else known[which]
    at = choice.draw(st.sampled_from(list(places(content))))
    how = choice.draw(st.sampled_from(["replace", "leave out", "add"]))
    changed = mutated(content, at, how, choice.draw(st.sampled_from(WRONG)))
    if which == "config" and not isinstance(changed, dict):
        return  # Snakemake makes sure of that
    given = known | {which: changed}
    monkeypatch.setattr(
        config, "read_yaml", lambda path: given[path] if path in given else read_yaml(path)
    )
    monkeypatch.setattr(config.files, "load_registry", lambda path: REGISTRY[0])
    one_line_or_none(
        lambda: ask_everything(config.load_plan(changed if which == "config" else BASE))
    )


def configured(known={}):  # noqa: B006
    """Content of the files, read once."""
    if not known:
        known.update({path: read_yaml(path) for path in CONFIGURED})
    return known


REGISTRY = [config.files.load_registry(ROOT / "config/datasets.yaml")]


@MORE
@given(st.one_of(st.binary(max_size=60), st.text(max_size=40).map(str.encode)))
@example(b"a: 2020-13-45")
@example(b"[" * 1200)
@example(b"\xff\xfe")
@example(b"a: &x [*x]")
@example(b"? [1, 2]\n: 3")
def test_any_bytes_as_yaml(made, content):
    path = made.folder / "any.yaml"
    path.write_bytes(content)
    one_line_or_none(read_yaml, path)
    one_line_or_none(config.files.load_registry, path)
    one_line_or_none(read_yaml, path.parent)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rows": {"a": [0.5]}}, "row 'a' has 1 values for 2 columns"),
        ({"rows": {"a": [0.5, "x"]}}, "'x'"),
        ({"rows": None}, "rows"),
        ({"columns": 3}, "columns"),
        ({"source": None}, "source"),
        ({"unstated": []}, "unstated"),
        ({"unsatted": {}}, "unsatted"),
    ],
)
def test_published_values_that_do_not_fit(change, words):
    published = {"source": "s", "data": "d", "metric": "accuracy", "unstated": {}}
    published |= {"columns": ["x", "y"], "rows": {"a": [0.5, 0.25]}}
    cells.check_published(published, "p.yaml")
    with pytest.raises(UserError, match=words) as caught:
        cells.check_published(published | change, "p.yaml")
    assert str(caught.value).startswith("p.yaml: ")


# ---- Commands -----------------------------------------------------------------------------------


def words_of(**options):
    """A command line of some of these options, each with one of its values."""
    chosen = {name: st.none() | st.sampled_from(values) for name, values in options.items()}

    def flat(taken):
        words = []
        for name, value in taken.items():
            if value is not None:
                words += [f"--{name.replace('_', '-')}", *value.split()]
        return words

    return st.fixed_dictionaries(chosen).map(flat)


@MORE
@given(
    st.sampled_from(["plain", "gap", "one-label", "tiny", "targets", "trials"]),
    words_of(
        cluster_sizes=["1", "2 3", "2 3", "0 2", "-1", "99"],
        beta=["1", "1", "0.1", "0", "-1", "nan", "inf", "1e300", "x"],
        states=["1", "2"],
        supports=["1 2", "3", "0 3", "-1 4"],
        labels=["0 1", "0,1 2", "9", "a"],
        split=["random", "chronological"],
        gap=["0", "3", "-1", "99"],
        samples_per_client=["20", "1", "0", "-4", "1000000"],
        test_share=["0.2", "0", "1", "-1", "nan", "inf", "1e-300"],
        min_samples=["2", "5", "0", "-3", "999"],
    ),
    st.sampled_from(["0", "0", "-1"]),
)
def test_any_options_of_make_partition(made, data, words, seed):
    words = ["--data", made.folder / f"data-{data}.npz", "--seed", seed, *words]

    def read(path):
        drawn = Partition.load(path, len(made.data[data].y))
        for train, test in zip(drawn.train, drawn.test):
            assert not set(train) & set(test)

    whole_or_one_line("make_partition.py", *words, output=made.output, read=read)


CHANGES = ["n_clusters=0", "n_clusters=99", "n_clusters=elbow", "n_clusters=silhouette"]
CHANGES += ["n_clusters=x", "n_clusters=null", "n_clusters=1.5", "steps=x", "steps=1.5", "steps=0"]
CHANGES += ["learning_rate=x", "learning_rate=nan", "learning_rate=-1", "memory=[1]", "start=1"]
CHANGES += ["memberships=x", "memberships=99", "merge_rounds=x", "merge_rounds=0", "r=x", "q=0"]
CHANGES += ["iterations=1.5", "learn=x", "setting=1", "", "=", "a=[", "truth=1"]


@settings(FEW, max_examples=200)
@given(
    st.sampled_from(["plain", "plain", "gap", "targets", "tiny"]),
    st.sampled_from(["plain", "plain", "plain", "zeros", "nan", "short", "flat", "texts"]),
    st.sampled_from(["plain", "gap", "one-client", "subjects", "states", "supports"]),
    st.sampled_from(list(METHODS)),
    st.sampled_from([""] * 20 + [f"+{change}" for change in CHANGES]),
    words_of(
        clusters=["2", "99", "0", "x", "elbow", "silhouette"],
        samples_per_round=["1", "9", "0", "-1", "9999"],
        rounds=["1", "2", "0", "-1"],
        participation=["0.5", "0", "2", "nan"],
        feature_scaling=["none", "standard"],
        C=["1", "0", "nan", "1e300"],
        loss=["hinge", "squared_hinge"],
        penalty=["1", "0", "nan", "1e300"],
        linkage=["ward", "average", "ward-rows"],
        affect_iterations=["0", "-1", "1"],
        identity=["cluster", "client"],
        test_on=["round", "long-run"],
    ),
    words_of(
        drift=["none", "switching", "visiting", "migration"],
        drift_parameters=[
            *("p01=0.1 p10=0.2", "p01=0 p10=0", "probability=0.5", "probability=2", "p01=x p10=1"),
            *("rounds=3", "probability=null", "probability=nan", "x", "rng=1", "clusters=1"),
        ],
    ),
)
def test_any_options_of_run_phase2(made, data, features, partition, method, change, options, drift):
    words = [*("--data", made.folder / f"data-{data}.npz", "--setting", "s", "--seed", "0")]
    words += ["--features", made.folder / f"features-{features}.npz", "--rounds", "2"]
    words += ["--partition", made.folder / f"partition-{partition}.npz", *options, *drift]
    words += ["--methods", method + change, "local"]
    whole_or_one_line("run_phase2.py", *words, output=made.output, read=read_scores)


@FEW
@given(
    st.sampled_from(["plain", "targets", "tiny"]),
    st.sampled_from(["plain", "one-client", "states"]),
    words_of(
        samples=["1 9", "0", "-1"],
        rounds=["1", "0", "-1"],
        max_clusters=["1", "3", "99", "0", "-1"],
        C=["1", "nan"],
    ),
)
def test_any_options_of_estimate_clusters(made, data, partition, options):
    words = ["--data", made.folder / f"data-{data}.npz", "--setting", "s", "--seed", "0"]
    words += ["--features", made.folder / "features-plain.npz", "--samples", "9", *options]
    words += ["--partition", made.folder / f"partition-{partition}.npz"]
    whole_or_one_line("estimate_clusters.py", *words, output=made.output, read=read_scores)


def phase2(made, *words, data="plain", partition="plain"):
    words = ["--data", made.folder / f"data-{data}.npz", "--setting", "s", "--seed", "0", *words]
    words += ["--features", made.folder / "features-plain.npz", "--rounds", "2"]
    words += ["--partition", made.folder / f"partition-{partition}.npz"]
    return whole_or_one_line("run_phase2.py", *words, output=made.output, read=read_scores)


@pytest.mark.parametrize("partition", ["one-client", "gap", "plain"])
def test_every_method_with_one_client_and_with_an_empty_class(made, partition):
    data = "gap" if partition == "gap" else "plain"
    assert phase2(made, "--methods", *METHODS, data=data, partition=partition) is None


@pytest.mark.parametrize("clusters", ["1", "2", "5", "elbow", "silhouette"])
def test_every_method_whatever_the_number_of_clusters(made, clusters):
    words = ["--methods", *METHODS, "--clusters", clusters]
    assert phase2(made, *words) is None
    assert phase2(made, *words, partition="subjects") is None


def test_more_clusters_than_clients_and_unknown_methods(made):
    assert "5 clients cannot be 6 clusters" in phase2(
        made, "--methods", "sc-mma", "--clusters", "6"
    )
    assert "method 'scmma' is unknown; known: fed-react-a1" in phase2(made, "--methods", "scmma")
    assert "3 clients" in phase2(
        made, "--methods", "sc-mma", "--clusters", "silhouette", partition="one-client"
    )


@pytest.mark.parametrize("share", [1, 2])
def test_labels_with_too_few_samples_to_train_and_test(share):
    y = np.repeat([0, 1, 3], [20, 20, share])
    with pytest.raises(UserError, match=r"label [23] has [01] of the samples"):
        drifting_partition(np.append(y, [4, 4]), [1, 1], 0, None, [2, 3])


def train(made, *words, data="plain", partition="plain"):
    words = ["--data", made.folder / f"data-{data}.npz", "--seed", "0", "--rounds", "1", *words]
    words += ["--partition", made.folder / f"partition-{partition}.npz", "--device", "cpu"]
    return whole_or_one_line(
        "train_encoder.py", *words, output=made.output, read=lambda path: npz.load(path, "", [])
    )


def test_series_longer_than_100_train_and_are_encoded(made):
    assert train(made, "--steps", "1", data="long") is None
    made.output.replace(made.folder / "encoder.npz")
    words = ["--encoder", made.folder / "encoder.npz", "--data"]

    def read(path):
        features = npz.load(path, "features", ["features"])["features"]
        assert features.shape == (60, 320)
        assert np.isfinite(features).all()

    for data, expected in (("long", None), ("plain", None)):
        words = [*words[:3], made.folder / f"data-{data}.npz"]
        said = whole_or_one_line("extract_features.py", *words, output=made.output, read=read)
        assert said is expected


@pytest.mark.parametrize("architecture", ["lstm", "timesnet", "patchtst", "causal-cnn"])
@pytest.mark.parametrize("data", ["long", "gap", "targets"])
def test_supervised_baselines_with_long_series_and_an_empty_class(made, architecture, data):
    words = ["--data", made.folder / f"data-{data}.npz", "--seed", "0", "--rounds", "1"]
    words += ["--partition", made.folder / "partition-plain.npz", "--setting", "s"]
    words += ["--architecture", architecture, "--algorithms", "fedavg", "--steps", "1"]
    words += ["--batch-size", "2", "--device", "cpu", "--checkpoint", made.folder / "c.npz"]
    said = whole_or_one_line("train_supervised.py", *words, output=made.output, read=read_scores)
    assert said is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--encoder", "gruu"], "encoder 'gruu' is unknown; known: table12"),
        (["--steps", "0"], "steps"),
        (["--rounds", "0"], "rounds"),
        (["--batch-size", "0"], "batch"),
        (["--negatives", "0"], "negatives"),
        (["--learning-rate", "nan"], "learning rate"),
        (["--learning-rate", "1e30"], "diverged"),
        (["--workers", "0"], "workers"),
        (["--window", "0", "--optimizer", "dtssgd"], "window"),
        (["--decay", "nan", "--optimizer", "dtssgd"], "decay"),
    ],
)
def test_wrong_options_of_training(made, words, said):
    assert said in train(made, "--steps", "3", *words)
    assert not made.output.with_suffix(".checkpoint.npz").exists()
