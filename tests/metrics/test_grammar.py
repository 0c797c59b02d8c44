"""Names of metrics: what base, subset and reducer they have, and which make sense together."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.metrics import grammar
from fedreact.metrics.contract import INF, Groups
from fedreact.metrics.grammar import files, load_metric, parse

ROOT = Path(__file__).resolve().parents[2]
COMPUTED = [name for name in grammar.names("base") if load_metric(name).samples]
SIX = np.array([0.1, 0.9, 0.5, 0.3, 0.7, 0.5])
"""Values of six clients, of which two are a fifth, rounded up, and one is a tenth."""


def refused(name):
    with pytest.raises(UserError) as caught:
        load_metric(name)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- Names


def test_parts_of_a_name():
    assert parse("accuracy") == ("accuracy", None, None)
    assert parse("accuracy@worst_fifth") == ("accuracy", "worst_fifth", None)
    assert parse("f1:var") == ("f1", None, "var")
    assert parse("accuracy@worst_fifth:var") == ("accuracy", "worst_fifth", "var")


def test_a_name_without_subset_and_reducer_is_the_base_itself():
    assert load_metric("accuracy") is plugins.load("metrics", "accuracy", "METRIC")


def test_a_metric_depends_on_the_files_of_its_parts():
    def names(metric):
        return [str(path.relative_to(plugins.PACKAGE / "metrics")) for path in files(metric)]

    assert names("accuracy") == ["accuracy.py"]
    assert names("f1:var") == ["f1.py", "reducers/var.py"]
    parts = ["accuracy.py", "subsets/worst_fifth.py", "reducers/var.py"]
    assert names("accuracy@worst_fifth:var") == parts
    assert names("gflops") == ["recorded.py"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("acuracy", "accuracy"),  # codespell:ignore
        ("balanced-accuracy", "balanced_accuracy"),
        ("accuracy_worst_fifth_variance", "accuracy@worst_fifth:var"),
        ("smape_variance", "smape:var"),
        ("acuracy@worst_fifth", "accuracy@worst_fifth"),  # codespell:ignore
        ("accuracy@@worst_fifth", "accuracy@worst_fifth"),
        ("accuracy:var@worst_fifth", "accuracy@worst_fifth"),
        ("balanced_accuracy_changed", "balanced_accuracy@changed_labels"),
        ("accuracy@", "accuracy"),
        ("", None),
        ("../accuracy", "accuracy"),
        (["accuracy"], "accuracy"),
        (None, None),
        (5, None),
    ],
)
def test_what_is_no_metric(name, meant):
    said = refused(name)
    assert "is unknown among metrics; known: accuracy, balanced_accuracy, " in said
    assert said.endswith("; a name is base, base@subset, base:reducer or base@subset:reducer")
    assert f"(did you mean {meant}?)" in said if meant else "did you mean" not in said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f1@worst_fith", "subset 'worst_fith' is unknown; known: adapted, another_client"),
        (
            "f1@worst_fith",
            "(did you mean worst_fifth?); without one, all clients and samples count",
        ),
        ("f1@all", "without one, all clients and samples count"),
        ("f1:vars", "(did you mean var?); without one, it is the mean over clients"),
        ("f1:mean", "without one, it is the mean over clients"),
        (
            "bytes@worst_fifth",
            "runs record bytes themselves, so this metric has no subset and no reducer",
        ),
        ("rand:var", "runs record rand themselves, so this metric has no subset and no reducer"),
        ("f1@first_target", "targets are predicted numbers, and f1 is a metric of labels"),
        ("recall@changed_labels", "no run records it; this subset has balanced_accuracy only"),
        (
            "f1@another_client:var",
            "runs record f1@another_client themselves, so it has no reducer",
        ),
    ],
)
def test_what_makes_no_sense(name, said):
    reason = refused(name)
    assert reason.startswith(f"metric {name}: ")
    assert said in reason


# --- How they are shown


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("accuracy:var", "Variance of the accuracy over clients"),
        ("f1:var", "Variance of the F1 over clients"),
        ("accuracy@worst_fifth", "Accuracy of the worst fifth of the clients"),
        (
            "accuracy@worst_fifth:var",
            "Variance of the accuracy over the worst fifth of the clients",
        ),
        ("accuracy@drifting:var", "Variance of the accuracy over drifting clients"),
        ("accuracy@worst_cluster", "Accuracy of the worst cluster"),
        ("accuracy@another_client", "Accuracy on another client's test samples"),
        ("balanced_accuracy@changed_labels", "Balanced accuracy of labels that have changed"),
        ("mae@last_target", "Mean absolute error of the last target"),
        ("mae@second_window", "Mean absolute error of the second test window"),
        ("mae@window_per_target", "Mean absolute error of one test window per target"),
        (
            "rmse@first_target:var",
            "Variance of the root mean square error of the first target over clients",
        ),
    ],
)
def test_titles(name, title):
    assert load_metric(name).title == title


def test_a_subset_of_clients_is_shown_as_its_base():
    base, worst = load_metric("mae"), load_metric("mae@worst_fifth")
    assert worst == replace(base, title=worst.title, choose=worst.choose)


def test_a_variance_is_better_if_it_is_lower_and_bounded_by_the_range_of_the_values():
    of_share, of_error = load_metric("accuracy:var"), load_metric("mae@worst_tenth:var")
    assert (of_share.better, of_share.bounds, of_share.decimals) == ("lower", (0, 0.25), 6)
    assert (of_error.better, of_error.bounds, of_error.decimals) == ("lower", (0, INF), 4)
    assert load_metric("smape:var").bounds == (0, 1)
    assert of_share.over(np.array([0.0, 1.0])) == of_share.bounds[1]
    # It is computed from clients' values, which are in the targets' unit.
    assert of_error.power == load_metric("mae").power == 1


def test_only_means_over_all_clients_are_plain():
    assert load_metric("mae").is_plain_mean
    assert load_metric("mae@first_target").is_plain_mean
    assert not load_metric("mae:var").is_plain_mean
    assert not load_metric("mae@worst_fifth").is_plain_mean


def test_what_runs_record_is_computed_by_no_metric():
    for name in ("bytes", "accuracy@another_client", "balanced_accuracy@changed_labels"):
        metric = load_metric(name)
        assert metric.samples is None
        assert metric.kinds == ()
    assert load_metric("accuracy@another_client").better == "higher"


# --- Subsets of clients, by hand


def over(name, values=SIX, **groups):
    return load_metric(name).over(values, Groups(**groups))


def test_the_best_and_the_worst_clients_by_hand():
    assert over("accuracy@best_fifth") == pytest.approx((0.9 + 0.7) / 2)
    assert over("accuracy@worst_fifth") == pytest.approx((0.1 + 0.3) / 2)
    assert over("accuracy@worst_tenth") == 0.1
    assert over("accuracy@worst_tenth", np.arange(25.0)) == 1  # of 0, 1 and 2
    assert over("smape@best_fifth") == pytest.approx((0.1 + 0.3) / 2)
    assert over("smape@worst_fifth") == pytest.approx((0.9 + 0.7) / 2)
    assert over("smape@worst_tenth") == 0.9
    assert over("accuracy@worst_fifth", SIX[:1]) == 0.1


def test_variances_by_hand():
    assert over("accuracy:var") == pytest.approx(sum((SIX - 0.5) ** 2) / 6)
    assert over("accuracy@best_fifth:var") == pytest.approx(0.01)
    assert over("smape@best_fifth:var") == pytest.approx(0.01)
    assert over("accuracy@worst_tenth:var") == 0


def test_the_worst_cluster_by_hand():
    clusters = np.array([0, 0, 1, 1, 2, 2])  # means .5, .4 and .6
    assert over("accuracy@worst_cluster", clusters=clusters) == pytest.approx(0.4)
    assert over("rmse@worst_cluster", clusters=clusters) == pytest.approx(0.6)
    assert over("accuracy@worst_cluster:var", clusters=clusters) == pytest.approx(0.01)
    assert np.isnan(over("accuracy@worst_cluster"))  # nobody knows the clusters


def test_drifting_clients_by_hand():
    drifting = np.array([True, False, False, True, False, True])
    assert over("accuracy@drifting", drifting=drifting) == pytest.approx((0.1 + 0.3 + 0.5) / 3)
    assert over("accuracy@drifting:var", drifting=drifting) == pytest.approx(0.08 / 3)
    for nobody in (None, np.zeros(6, dtype=bool)):
        assert over("accuracy@drifting", drifting=nobody) == SIX.mean()


# --- Subsets of windows and targets, by hand

TRUE = np.array([[10.0, 20], [10, 20], [10, 20]])


def test_single_windows_are_over_all_targets():
    """What the public code of FATHOM's authors calls errors of targets."""
    outputs = TRUE + np.array([[1.0], [3], [100]])

    def score(name, n=3):
        return load_metric(name).score(outputs[:n], TRUE[:n])

    assert score("mae@first_window") == 1
    assert score("mae@second_window") == 3
    assert score("mae@second_window", n=1) == 1  # there is no other
    assert score("mae@window_per_target") == 2  # of two windows, for two targets
    assert score("rmse@second_window") == 3
    assert score("smape@first_window") == pytest.approx((1 / 10.5 + 1 / 20.5) / 2)
    assert score("smape@second_window") == pytest.approx((3 / 11.5 + 3 / 21.5) / 2)


def test_single_targets_are_over_all_windows():
    outputs = TRUE + np.array([[1.0, 4], [3, 0], [8, 8]])
    assert load_metric("mae@first_target").score(outputs, TRUE) == 4
    assert load_metric("mae@last_target").score(outputs, TRUE) == 4
    assert load_metric("rmse@first_target").score(outputs, TRUE) == pytest.approx((74 / 3) ** 0.5)
    only = outputs[:, :1]
    assert load_metric("mae@last_target").score(only, TRUE[:, 0]) == 4  # a vector of targets


# --- Every base with every subset and reducer


@pytest.mark.parametrize("base", COMPUTED)
def test_a_base_has_every_subset_and_reducer_that_make_sense(base):
    for subset in grammar.names("subset"):
        for reducer in ("", *(f":{name}" for name in grammar.names("reducer"))):
            name, folder, defines = f"{base}@{subset}{reducer}", *grammar.PARTS["subset"][:2]
            kind = type(plugins.load(folder, subset, defines)).__name__
            if kind == "RecordedSubset" and (reducer or subset == "changed_labels"):
                continue
            if kind == "TargetSubset" and "regression" not in load_metric(base).kinds:
                assert "metric of labels" in refused(name)
                continue
            metric = load_metric(name)
            assert metric.title != load_metric(base).title
            assert (metric.choose is not None) == (kind == "ClientSubset")
            assert (metric.windows is not None) == (kind == "WindowSubset")
            assert (metric.samples is None) == (kind == "RecordedSubset")


# --- A user's own


@pytest.fixture
def own(tmp_path, monkeypatch):
    def write(folder, name, text):
        path = Path("own", folder, f"{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        forget()
        return path

    def forget():
        for name in [name for name in sys.modules if name.split(".")[0] == "own"]:
            del sys.modules[name]
        plugins._load.cache_clear()
        plugins._find.cache_clear()

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield write
    forget()


BASE = """
from fedreact.metrics.contract import Metric

def samples(outputs, y):
    return (outputs.argmax(1) == y)[:, None] / 2

METRIC = Metric("Half", {better}bounds=(0, 0.5), kinds=("classification",), samples=samples)
"""


def test_a_base_of_a_user_has_all_subsets_and_reducers(own):
    path = own("metrics", "half", BASE.format(better='better="higher", '))
    metric = load_metric("half@worst_fifth:var")
    assert metric.title == "Variance of the half over the worst fifth of the clients"
    assert metric.bounds == (0, 0.0625)
    assert metric.over(SIX / 2) == pytest.approx(0.0025)
    assert "half" in grammar.names("base")
    assert path in files("half@worst_fifth:var")


def test_where_nothing_is_better_no_client_is_worst(own):
    own("metrics", "half", BASE.format(better=""))
    said = "neither higher nor lower values of half are better, so no client is worst"
    assert refused("half@worst_fifth") == f"metric half@worst_fifth: {said}"
    assert load_metric("half@drifting").over(SIX) == SIX.mean()


def test_a_subset_and_a_reducer_of_a_user(own):
    own(
        "metrics/subsets",
        "even",
        "from fedreact.metrics.subsets.contract import ClientSubset\n"
        "SUBSET = ClientSubset('even', lambda scores, _: slice(0, None, 2), ranked=False)\n",
    )
    own(
        "metrics/reducers",
        "least",
        "from fedreact.metrics.reducers.contract import Reducer\n"
        "REDUCER = Reducer('Minimum', min, 'higher', lambda low, high: (low, high), int)\n",
    )
    metric = load_metric("accuracy@even:least")
    assert metric.title == "Minimum of the accuracy over even"
    assert metric.over(SIX) == 0.1
    assert load_metric("accuracy@even").over(SIX) == pytest.approx((0.1 + 0.5 + 0.7) / 3)


def test_what_is_wrong_with_a_users_file_is_said(own):
    own("metrics/subsets", "even", "SUBSET = 1 / 0\n")
    assert refused("f1@even") == "own/metrics/subsets/even.py: ZeroDivisionError: division by zero"
    own("metrics", "even", "")
    assert refused("even") == "own/metrics/even.py: defines no METRIC"


@pytest.mark.parametrize("name", ["accuracy", "bytes"])
def test_a_users_metric_of_a_name_of_the_projects_is_refused(own, name):
    own("metrics", name, "METRIC = 1\n")
    with pytest.raises(UserError, match=f"own/metrics/{name}.py: the project has '{name}' itself"):
        files(name)


# --- Values that earlier versions computed, when each of these metrics had a file of its own


def clients(kind):
    """Outputs and truth of the test samples of eleven clients, of which later ones are better."""
    rng, tests = np.random.default_rng(7), []
    for k in range(11):
        n = 4 + k % 4
        if kind == "classification":
            y, outputs = rng.integers(0, 3, n), rng.normal(size=(n, 3))
            outputs[np.arange(n), y] += k / 5
        elif kind == "multi-label":
            y = rng.random((n, 3)) < 0.5
            outputs = np.where(y, 1.0, -1.0) * k / 5 + rng.normal(size=(n, 3))
        else:
            y = rng.uniform(1, 9, (n, 3))
            outputs = y + rng.normal(size=(n, 3)) * (1 + k / 5)
        tests.append((outputs, y))
    return tests


RECORDED = {
    "classification": {
        "accuracy": 0.538095,
        "accuracy@best_fifth": 0.774603,
        "accuracy@best_fifth:var": 0.00636936,
        "accuracy@drifting:var": 0.0450266,
        "accuracy:var": 0.0370223,
        "accuracy@worst_fifth": 0.3,
        "accuracy@worst_fifth:var": 0.005,
        "accuracy@worst_tenth": 0.25,
        "accuracy@worst_cluster": 0.333333,
        "balanced_accuracy": 0.564141,
        "balanced_accuracy:var": 0.0553668,
        "f1": 0.455123,
        "f1:var": 0.0485476,
        "precision": 0.507576,
        "recall": 0.459091,
    },
    "multi-label": {
        "accuracy": 0.867244,
        "accuracy@best_fifth": 1,
        "accuracy@best_fifth:var": 0,
        "accuracy@drifting:var": 0.0240014,
        "accuracy:var": 0.017333,
        "accuracy@worst_fifth": 0.689153,
        "accuracy@worst_fifth:var": 0.0058614,
        "balanced_accuracy": 0.872111,
        "balanced_accuracy:var": 0.0172116,
        "f1": 0.850638,
        "f1:var": 0.0259402,
        "false_negatives": 0.092785,
        "false_positives": 0.0399711,
        "precision": 0.899747,
        "recall": 0.82298,
        "true_positives": 0.375036,
    },
    "regression": {
        "mae": 1.4388,
        "mae@first_target": 1.40741,
        "mae@first_window": 1.25204,
        "mae@window_per_target": 1.54268,
        "mae@last_target": 1.35433,
        "mae@second_window": 1.67378,
        "rmse": 1.84604,
        "smape": 0.401724,
        "smape@best_fifth": 0.227725,
        "smape@best_fifth:var": 0.000301741,
        "smape@drifting:var": 0.0364849,
        "smape@first_target": 0.421856,
        "smape@first_window": 0.360631,
        "smape@last_target": 0.363645,
        "smape@second_window": 0.396246,
        "smape:var": 0.0295144,
        "smape@worst_fifth": 0.639429,
        "smape@worst_fifth:var": 0.017723,
    },
}


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, values in RECORDED.items() for name in values]
)
def test_values_are_those_of_earlier_versions(kind, name):
    metric, which = load_metric(name), np.arange(11)
    values = np.array([metric.score(outputs, y) for outputs, y in clients(kind)])
    over = metric.over(values, Groups(clusters=which % 4, drifting=which % 3 == 0))
    assert over == pytest.approx(RECORDED[kind][name], rel=1e-5)
