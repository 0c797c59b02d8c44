"""Metrics without subset and reducer: their contract, and what the project's are."""

import warnings
from typing import get_args

import numpy as np
import pytest
from sklearn import metrics as theirs

from fedreact import plugins
from fedreact.metrics import grammar
from fedreact.metrics.contract import COMPARED, PRIMARY, Metric
from fedreact.task import Kind

NAMES = grammar.names("base")
N, OUTPUTS = 200, 5


metric = grammar.load_metric
COMPUTED = [(name, kind) for name in NAMES if metric(name).samples for kind in metric(name).kinds]
"""Metrics that are computed from outputs, and the kinds of tasks that they are computed for."""


def truth(kind, seed=0, n=N):
    rng = np.random.default_rng(seed)
    return {
        "classification": lambda: rng.choice(OUTPUTS, n, p=[0.5, 0.2, 0.15, 0.1, 0.05]),
        "multi-label": lambda: rng.random((n, OUTPUTS)) < [0.6, 0.4, 0.3, 0.2, 0.1],
        "regression": lambda: rng.normal(2, 3, size=(n, OUTPUTS)).astype(np.float32),
    }[kind]()


def perfect(y, kind):
    """Outputs that are right."""
    if kind == "classification":
        return np.where(y[:, None] == np.arange(OUTPUTS), 1.0, -1.0)
    return np.where(y, 1.0, -1.0) if kind == "multi-label" else y.astype(float)


def outputs(y, kind, seed=1):
    """Outputs that are often right."""
    right = perfect(y, kind)
    return right + 1.5 * np.random.default_rng(seed).normal(size=right.shape)


def value(name, scores, y):
    """Value of a client with these samples alone, which must raise no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        means = metric(name).samples(scores, y).astype(float).mean(0)
        result = metric(name).client(means)
    assert np.shape(result) == ()
    return float(result)


# --- The contract


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_says_how_it_is_shown(name):
    chosen = metric(name)
    assert isinstance(chosen, Metric)
    assert chosen.title.strip()
    assert chosen.better in ("higher", "lower", None)
    assert chosen.bounds[0] < chosen.bounds[1]
    assert chosen.decimals >= 0
    assert chosen.power in (0, 1)
    assert set(chosen.kinds) <= set(get_args(Kind))
    assert (chosen.samples is None) == (chosen.kinds == ())


def test_what_tasks_and_ledgers_name_is_there():
    assert {"accuracy", "f1", "rmse", "mae", "smape", "precision", "recall"} <= set(NAMES)
    assert not {"contract", "confusion", "grammar", "recorded"} & set(NAMES)
    assert set(PRIMARY) == set(get_args(Kind))
    for kind, name in PRIMARY.items():
        assert (name, kind) in COMPUTED
    assert set(COMPARED) <= set(NAMES)


@pytest.mark.parametrize(("name", "kind"), COMPUTED)
def test_statistics_are_of_each_sample(name, kind):
    y = truth(kind)
    scores = outputs(y, kind)
    statistics = metric(name).samples(scores, y)
    assert statistics.ndim == 2
    assert len(statistics) == N
    assert np.isfinite(statistics.astype(float)).all()
    order = np.random.default_rng(2).permutation(N)
    np.testing.assert_array_equal(metric(name).samples(scores[order], y[order]), statistics[order])
    for i in (0, N - 1):
        alone = metric(name).samples(scores[i : i + 1], y[i : i + 1])
        np.testing.assert_allclose(alone[0], statistics[i])


@pytest.mark.parametrize(("name", "kind"), COMPUTED)
def test_statistics_of_parts_merge(name, kind):
    y = truth(kind)
    scores, chosen = outputs(y, kind), metric(name)
    parts = [slice(0, 70), slice(70, N)]
    means = [chosen.samples(scores[part], y[part]).astype(float).mean(0) for part in parts]
    merged = (70 * means[0] + (N - 70) * means[1]) / N
    assert chosen.client(merged) == pytest.approx(value(name, scores, y), rel=1e-12)


@pytest.mark.parametrize(("name", "kind"), COMPUTED)
def test_clients_together_are_clients_one_by_one(name, kind):
    chosen, means, alone = metric(name), [], []
    for seed in range(6):
        y = truth(kind, seed, n=20)
        scores = outputs(y, kind, seed)
        means.append(chosen.samples(scores, y).astype(float).mean(0))
        alone.append(value(name, scores, y))
    together = chosen.client(np.stack(means).reshape(2, 3, -1))
    np.testing.assert_allclose(together, np.reshape(alone, (2, 3)), rtol=1e-12)


@pytest.mark.parametrize(("name", "kind"), COMPUTED)
def test_values_lie_within_the_bounds_and_none_is_better_than_what_is_right(name, kind):
    chosen, y = metric(name), truth(kind)
    best = value(name, perfect(y, kind), y)
    for seed in range(5):
        usual = value(name, outputs(y, kind, seed), y)
        wrong = value(name, -perfect(y, kind), y)
        for score in (best, usual, wrong):
            assert chosen.bounds[0] <= score <= chosen.bounds[1]
        if chosen.better:
            assert usual < best if chosen.better == "higher" else usual > best


# --- The project's metrics, against scikit-learn


def cells_of(y, p):
    """Shares of what is true (row) and found (column)."""
    return theirs.confusion_matrix(y.ravel(), p.ravel(), normalize="all")


REFERENCES = {
    ("accuracy", "classification"): theirs.accuracy_score,
    ("f1", "classification"): lambda y, p: theirs.f1_score(y, p, average="macro", zero_division=0),
    ("precision", "classification"): lambda y, p: theirs.precision_score(
        y, p, average="macro", zero_division=0
    ),
    ("recall", "classification"): lambda y, p: theirs.recall_score(
        y, p, average="macro", zero_division=0
    ),
    ("balanced_accuracy", "classification"): theirs.balanced_accuracy_score,
    ("accuracy", "multi-label"): lambda y, p: 1 - theirs.hamming_loss(y, p),
    ("f1", "multi-label"): lambda y, p: theirs.f1_score(y, p, average="micro", zero_division=0),
    ("precision", "multi-label"): lambda y, p: theirs.precision_score(
        y, p, average="micro", zero_division=0
    ),
    ("recall", "multi-label"): lambda y, p: theirs.recall_score(
        y, p, average="micro", zero_division=0
    ),
    ("balanced_accuracy", "multi-label"): lambda y, p: theirs.balanced_accuracy_score(
        y.ravel(), p.ravel()
    ),
    ("mae", "regression"): theirs.mean_absolute_error,
    ("mae@first_target", "regression"): lambda y, p: theirs.mean_absolute_error(y[:, 0], p[:, 0]),
    ("mae@last_target", "regression"): lambda y, p: theirs.mean_absolute_error(y[:, -1], p[:, -1]),
    ("true_positives", "multi-label"): lambda y, p: cells_of(y, p)[1, 1],
    ("false_positives", "multi-label"): lambda y, p: cells_of(y, p)[0, 1],
    ("false_negatives", "multi-label"): lambda y, p: cells_of(y, p)[1, 0],
    # Of all targets together; scikit-learn's own for several is the mean of theirs.
    ("rmse", "regression"): lambda y, p: theirs.root_mean_squared_error(y.ravel(), p.ravel()),
}


def decided(scores, kind):
    """What scikit-learn takes."""
    if kind == "classification":
        return scores.argmax(1)
    return scores > 0 if kind == "multi-label" else scores


@pytest.mark.parametrize(("name", "kind"), REFERENCES)
@pytest.mark.parametrize("seed", range(5))
def test_like_scikit_learn(name, kind, seed):
    y = truth(kind, seed, n=60)
    scores = outputs(y, kind, 10 + seed)
    expected = REFERENCES[name, kind](y, decided(scores, kind))
    assert value(name, scores, y) == pytest.approx(expected, rel=1e-6)
    assert 0 < expected != 1


def test_every_metric_of_the_project_that_is_computed_has_its_reference():
    here = {path.stem for path in (plugins.PACKAGE / "metrics").glob("*.py")}
    ours = {(name, kind) for name, kind in COMPUTED if name in here}
    bases = {(name, kind) for name, kind in REFERENCES if "@" not in name}
    assert ours == bases | {("smape", "regression")}


CLASSIFIED = [name for name, kind in REFERENCES if kind == "classification"]


@pytest.mark.parametrize("name", CLASSIFIED)
@pytest.mark.parametrize(
    ("y", "predicted"),
    [
        ([0, 0, 1, 3, 3, 1], [0, 1, 1, 3, 0, 1]),  # 2 and 4 are in neither
        ([0, 0, 1, 1, 1, 0], [0, 2, 1, 4, 1, 0]),  # 2 and 4 are predicted only
        ([0, 2, 1, 4, 1, 0], [0, 0, 1, 1, 1, 0]),  # 2 and 4 are true only
        ([3, 3, 3, 3], [3, 3, 3, 3]),  # one class only
        ([3, 3, 3, 3], [3, 1, 1, 3]),  # one class, others predicted
        ([1, 2, 1, 2], [2, 1, 3, 0]),  # nothing is right
        ([4], [4]),
        ([4], [0]),
    ],
)
@pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true")
@pytest.mark.filterwarnings("ignore:A single label was found")
def test_absent_classes(name, y, predicted):
    y, predicted = np.array(y), np.array(predicted)
    scores = np.where(predicted[:, None] == np.arange(OUTPUTS), 1.0, 0.0)
    expected = REFERENCES[name, "classification"](y, predicted)
    assert value(name, scores, y) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "f1", "precision", "recall"])
@pytest.mark.parametrize(
    ("y", "predicted"),
    [
        ([[0, 0], [0, 0]], [[0, 0], [0, 0]]),  # nothing is true, nothing found
        ([[0, 0], [0, 0]], [[1, 0], [0, 0]]),
        ([[1, 0], [1, 0]], [[0, 0], [0, 0]]),
        ([[1, 1], [1, 1]], [[1, 1], [1, 1]]),  # everything is true and found
        ([[1, 0], [1, 0]], [[1, 0], [1, 0]]),  # one label is never true
    ],
)
def test_labels_that_are_never_true_or_never_found(name, y, predicted):
    y, predicted = np.array(y, bool), np.array(predicted, bool)
    expected = REFERENCES[name, "multi-label"](y, predicted)
    score = value(name, np.where(predicted, 0.5, -0.5), y)
    assert score == pytest.approx(expected, abs=1e-12)


def test_a_single_label_is_true_or_not():
    y, scores = np.array([[True], [False], [True], [True]]), np.array([[1.0], [1], [-1], [2]])
    # Of 3 that are true 2 are found, and 1 that is not.
    assert value("accuracy", scores, y) == pytest.approx(1 / 2)
    for name in ("precision", "recall", "f1"):
        assert value(name, scores, y) == pytest.approx(2 / 3)


def test_balanced_accuracy_of_several_labels_by_hand():
    y = np.array([[1, 0, 0], [1, 1, 0]], bool)
    scores = np.array([[2.0, -1, 3], [-1, 1, -1]])
    # 2 of 3 that are true, 2 of 3 that are not.
    assert value("balanced_accuracy", scores, y) == pytest.approx(2 / 3)


def test_a_label_is_true_above_zero_only():
    assert value("accuracy", np.array([[0.0, 1e-9]]), np.array([[False, True]])) == 1


@pytest.mark.parametrize("name", ["mae", "rmse", "smape"])
def test_a_target_may_be_a_vector_or_a_column(name):
    y = truth("regression")[:, :1]
    scores = y + 1.0
    assert value(name, scores, y[:, 0]) == value(name, scores, y)


@pytest.mark.parametrize(
    ("scores", "y", "expected"),
    [
        ([[1.0], [3], [0]], [3.0, 3, 0], (2 / 2 + 0 + 0) / 3),
        ([[-1.0], [-3]], [1.0, -1], (2 / 1 + 2 / 2) / 2),
        ([[0.0], [5]], [5.0, 0], 2),  # the largest there is
        ([[1.0, 2], [4, 0]], [[3.0, 2], [4, 1]], ((1 + 0) / 2 + (0 + 2) / 2) / 2),
    ],
)
def test_smape_by_hand(scores, y, expected):
    assert value("smape", np.array(scores), np.array(y)) == pytest.approx(expected)


def test_the_smape_of_a_target_by_hand():
    scores, y = np.array([[1.0, 2], [3, 0]]), np.array([[3.0, 2], [3, 1]])
    assert value("smape@first_target", scores, y) == pytest.approx((2 / 2 + 0) / 2)
    assert value("smape@last_target", scores, y) == pytest.approx((0 + 2) / 2)


def test_balanced_accuracy_averages_the_sides_that_there_are():
    chosen = metric("balanced_accuracy")

    def value(outputs, y):
        return chosen.client(chosen.samples(np.array(outputs), np.array(y)).mean(0))

    assert value([[-1.0, -1.0]], [[False, False]]) == 1
    assert value([[1.0, -1.0]], [[True, True]]) == 0.5
    assert value([[1.0], [1.0]], [0, 0]) == 1  # one label only
    assert value([[1.0, -1.0], [1.0, 1.0]], [[True, False], [True, False]]) == 0.75
