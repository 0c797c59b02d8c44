"""Simple baselines on summary features (:mod:`fedreact.kinds.simple`), against cases by hand."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from fedreact.clients.partition import Partition
from fedreact.data.dataset import SeriesDataset
from fedreact.data.windows import Windows
from fedreact.engine.place import Place
from fedreact.kinds import contract
from fedreact.kinds.simple import run as simple
from fedreact.kinds.simple.features import SUMMARIES, features
from fedreact.kinds.simple.spec import Options, job
from fedreact.metrics.grammar import load_metric
from fedreact.task import Task

NOTHING = np.zeros(0, np.int64)


def series(rows, y, **more):
    """One channel a series, padded with zeros."""
    lengths = np.array([len(row) for row in rows])
    X = np.zeros((len(rows), 1, lengths.max()), np.float32)
    for place, row in enumerate(rows):
        X[place, 0, : len(row)] = row
    return SeriesDataset("made", X, lengths, np.asarray(y), **more)


def clients(*sets):
    """Clients of ``(train, test)``."""
    train, test = ([np.array(one[i]) for one in sets] for i in (0, 1))
    K = len(sets)
    return Partition(
        np.zeros(K, int), train, test, np.zeros((1, 0), int), np.zeros((1, 1, 0)), NOTHING
    )


def method(algorithm, **entry):
    return contract.method("simple", algorithm, {"algorithm": algorithm, **entry}, "here")


def lines(data, partition, asked, algorithm="ridge", seed=0, pooled=False, **entry):
    metrics = {name: load_metric(name) for name in asked}
    inputs = contract.Inputs(data, partition)
    made = [method(algorithm, **entry)]
    return list(simple.run(inputs, Options(pooled), made, metrics, seed, Place()))


# ---- Features ------------------------------------------------------------------------------------


def test_features_by_hand():
    (found,) = features(series([[1, 2, 4, 9]], [0]), recent=2)
    wanted = {
        "mean": 4,
        "standard deviation": 9.5**0.5,  # deviations 3, 2, 0, 5
        "minimum": 1,
        "lower quartile": 1.75,
        "median": 3,
        "upper quartile": 5.25,
        "maximum": 9,
        "slope": 2.6,  # (-1.5 - 1 + 2 + 13.5) / 5
        "mean absolute difference": 8 / 3,
        "last value": 9,
    }
    assert tuple(wanted) == SUMMARIES
    assert found == pytest.approx([*wanted.values(), 4, 9])


def test_padding_counts_in_no_feature():
    data = series([[3, 5], [3, 5, 0, 0], [7]], [0, 0, 1])
    short, long, single = features(data, recent=3)
    assert short[:3] == pytest.approx([4, 1, 3])
    assert long[:3] == pytest.approx([2, 4.5**0.5, 0])
    # A series of one step has no slope and no differences; its value is repeated before it.
    assert single == pytest.approx([7, 0, 7, 7, 7, 7, 7, 0, 0, 7, 7, 7, 7])
    assert short[-3:] == pytest.approx([3, 3, 5])


def test_windows_of_recordings_have_the_features_of_their_steps():
    values = np.arange(20, dtype=np.float32).reshape(10, 2) ** 1.5
    starts = np.array([0, 3, 5])
    windows = SeriesDataset(
        "made", Windows(values, starts, 4), np.full(3, 4), np.zeros(3, np.float32)
    )
    X = np.stack([values[s : s + 4].T for s in starts])
    whole = SeriesDataset("made", X, np.full(3, 4), np.zeros(3, np.float32))
    assert features(windows, 2).shape == (3, 2 * 12)
    np.testing.assert_allclose(features(windows, 2), features(whole, 2))


# ---- Models --------------------------------------------------------------------------------------


def two_people(flip=False):
    """Steep and flat series of two people; the second one calls them by the other label."""
    rng = np.random.default_rng(0)
    steep = np.arange(24) % 2
    rows = [s * np.arange(6) + 0.1 * rng.normal(size=6) for s in steep]
    y = steep.copy()
    if flip:
        y[12:] = 1 - y[12:]
    return series(rows, y), clients((range(8), range(8, 12)), (range(12, 20), range(20, 24)))


@pytest.mark.parametrize("algorithm", ["ridge", "forest"])
def test_alone_each_client_has_its_own_model_and_pooled_all_have_one(algorithm):
    data, partition = two_people(flip=True)
    (alone,) = lines(data, partition, ["accuracy"], algorithm)
    (pooled,) = lines(data, partition, ["accuracy"], algorithm, pooled=True)
    assert alone.values["accuracy"] == 1
    # One model says the same of both, who call steep series by different labels.
    assert pooled.values["accuracy"] < 0.8
    assert alone.clients["score"].tolist() == [1, 1]
    assert alone.index == (algorithm, 1)


def test_pooled_clients_send_their_series_once_and_alone_ones_nothing():
    data, partition = two_people()
    (alone,) = lines(data, partition, ["accuracy"])
    (pooled,) = lines(data, partition, ["accuracy"], pooled=True)
    assert alone.values["bytes"] == 0
    # Eight series of six values of four bytes, and a label of eight.
    assert pooled.values["bytes"] == pytest.approx(8 * (6 * 4 + 8) / 1e6)
    assert pooled.values["accuracy"] == 1
    assert np.isnan(lines(data, partition, ["accuracy"], "forest")[0].values["gflops"])


def test_nobody_trains_on_a_series_that_somebody_is_tested_on():
    # The only train series with the right label is a test series of the other client.
    data = series([[0, 0], [0, 1], [0, 2], [0, 9], [0, 0.1]], [0, 0, 0, 1, 0])
    partition = clients(([0, 1, 3], [2]), ([0, 1, 2], [3]))
    (alone,) = lines(data, partition, ["accuracy"], "forest")
    (pooled,) = lines(data, partition, ["accuracy"], "forest", pooled=True)
    assert alone.clients["score"].tolist() == [1, 0]
    assert pooled.clients["score"].tolist() == [1, 0]


def test_a_ridge_regression_is_scikit_learns_in_the_units_of_the_target():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 1, 5)).astype(np.float32)
    y = (1000 + 50 * X[:, 0, -1] + rng.normal(size=30)).astype(np.float32)
    data = SeriesDataset("made", X, np.full(30, 5), y)
    (line,) = lines(data, clients((range(20), range(20, 30))), ["rmse"], penalties=[0.01])
    F = features(data, 5)
    F = (F - F[:20].mean(0)) / F[:20].std(0)
    spread = y[:20].std()
    model = Ridge(alpha=0.01).fit(F[:20], (y[:20] - y[:20].mean()) / spread)
    off = model.predict(F[20:]) * spread + y[:20].mean() - y[20:]
    assert line.values["rmse"] == pytest.approx(float((off**2).mean() ** 0.5), rel=1e-4)
    assert line.values["rmse"] < 5


@pytest.mark.parametrize("algorithm", ["ridge", "forest"])
def test_several_targets_and_several_labels(algorithm):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2, 4)).astype(np.float32)
    levels = X.mean(2)
    numbers = SeriesDataset("made", X, np.full(60, 4), levels * np.float32([1, 100]))
    labels = SeriesDataset("made", X, np.full(60, 4), levels > 0)
    partition = clients((range(40), range(40, 60)))
    (of_numbers,) = lines(numbers, partition, ["mae"], algorithm)
    (of_labels,) = lines(labels, partition, ["accuracy"], algorithm)
    assert of_numbers.values["mae"] < (2 if algorithm == "ridge" else 20)
    assert of_labels.values["accuracy"] > 0.8


@pytest.mark.parametrize("algorithm", ["ridge", "forest"])
def test_clients_with_one_series_or_one_label_have_a_model(algorithm):
    data = series([[0, 1], [1, 0], [2, 2], [3, 1]], [2, 2, 2, 0])
    (line,) = lines(data, clients(([0], [1]), ([1, 2], [3])), ["accuracy"], algorithm)
    assert line.clients["score"].tolist() == [1, 0]


def test_the_seed_alone_decides_what_a_forest_draws():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 1, 8)).astype(np.float32)
    data = SeriesDataset("made", X, np.full(60, 8), rng.integers(3, size=60))
    partition = clients((range(20), range(20, 30)), (range(30, 50), range(50, 60)))
    scored = [
        lines(data, partition, ["accuracy"], "forest", seed, trees=5)[0].clients["score"].tolist()
        for seed in (0, 0, 1)
    ]
    assert scored[0] == scored[1]
    assert scored[0] != scored[2]


def test_pooled_methods_are_a_job_of_their_own():
    assert job(method("forest"), Options()) == "all"
    assert job(method("forest", pooled=True), Options()) == "all+pooled=true"
    task = Task("classification", 3, 2, 50)
    assert simple.work(Options(), [method("ridge")], task, [10, 20]) > 0
    assert simple.work(Options(), [method("forest")], task, [10, 20]) == pytest.approx(20, abs=1)
