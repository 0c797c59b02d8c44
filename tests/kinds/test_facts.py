"""Counts of a setting's data, and scores of what is not trained."""

import csv

import numpy as np
import pytest
from made_data import dataset, deal_by_owner

from fedreact import npz
from fedreact.clients.partition import Partition
from fedreact.engine.place import Place
from fedreact.kinds import contract, jobs
from fedreact.kinds.facts import run as facts
from fedreact.kinds.facts.spec import INDEX, Options
from fedreact.metrics.grammar import load_metric

NOTHING = np.zeros(0, np.int64)
TRAIN = [np.array([0, 1]), np.array([4])]
TEST = [np.array([2, 3]), np.array([5])]
PARTITION = Partition(
    np.array([0, 0]), TRAIN, TEST, np.zeros((2, 0), np.int64), np.zeros((2, 1, 0)), NOTHING
)


def methods(*names):
    return [contract.method("facts", name, {}, "here") for name in names]


def lines(folder, data, names, asked, partition=PARTITION):
    metrics = {name: load_metric(name) for name in asked}
    place = Place("cpu", 1, folder)
    inputs = contract.Inputs(data, partition)
    return list(facts.run(inputs, Options(), methods(*names), metrics, 0, place))


def test_counts_by_hand(tmp_path):
    data = dataset(np.arange(30) % 3, owner=np.repeat([4, 7, 9], 10))
    drawn = deal_by_owner(data.owner, test_share=0.2, owners=2)
    (line,) = lines(tmp_path, data, ["data"], ["accuracy"], drawn)
    assert line.index == ("data", 1)
    wanted = {"n_train": 16, "n_test": 4, "n_clients": 2, "n_labels": 3}
    assert {name: line.values[name] for name in wanted} == wanted
    assert line.values["n_steps"] == line.values["n_channels"] == 1
    assert "accuracy" not in line.values
    assert line.clients is None


TARGETS = np.array([0, 0, 1, 2, 0, 8], np.float32)
BEFORE = np.array([0, 0, 4, 4, 0, 3], np.float32)


@pytest.mark.parametrize("shape", [(6,), (6, 1)])
def test_persistence_of_a_regression_by_hand(tmp_path, shape):
    data = dataset(TARGETS.reshape(shape), previous=BEFORE.reshape(shape))
    (line,) = lines(tmp_path, data, ["persistence"], ["mae", "rmse"])
    # The first client's errors are 3 and 2, the second one's is 5.
    assert line.values["mae"] == pytest.approx((2.5 + 5) / 2)
    assert line.values["rmse"] == pytest.approx((6.5**0.5 + 5) / 2)
    assert line.values["n_test"] == 3
    assert line.clients["score"].tolist() == [2.5, 5]
    for name in ("cluster", "true_cluster"):
        assert line.clients[name].tolist() == [-1, -1]


def test_persistence_of_several_targets_and_labels(tmp_path):
    both = np.stack([TARGETS, -TARGETS], 1), np.stack([BEFORE, -TARGETS], 1)
    data = dataset(both[0], previous=both[1])
    (line,) = lines(tmp_path, data, ["persistence"], ["mae", "mae@first_window"])
    assert line.values["mae"] == pytest.approx((2.5 / 2 + 5 / 2) / 2)
    # The error is that of one of two targets; the second client has one window.
    assert line.values["mae@first_window"] == pytest.approx((3 / 2 + 5 / 2) / 2)
    true = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [0, 0], [0, 1]], bool)
    was = np.array([[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [1, 1]], bool)
    (line,) = lines(tmp_path, dataset(true, previous=was), ["persistence"], ["f1", "accuracy"])
    # Of the first client: two true positives, a false negative; of the second one: one true
    # positive and one false positive.
    assert line.values["f1"] == pytest.approx((4 / 5 + 2 / 3) / 2)
    assert line.values["accuracy"] == pytest.approx((3 / 4 + 1 / 2) / 2)


def test_persistence_of_labels_also_of_those_that_are_not_predicted(tmp_path):
    data = dataset(np.array([0, 1, 2, 1, 0, 1]), previous=np.array([0, 0, 2, 0, 0, 7]))
    (line,) = lines(tmp_path, data, ["persistence"], ["accuracy"])
    assert line.values["accuracy"] == pytest.approx((1 / 2 + 0) / 2)


def test_lines_of_a_file_have_the_same_columns(tmp_path):
    data = dataset(TARGETS, previous=BEFORE)
    output = tmp_path / "scores.csv"
    found = lines(tmp_path, data, ["data", "persistence"], ["mae"])
    jobs.write(output, found, contract.Inputs(data, PARTITION), INDEX, 0, "mae", [])
    with output.open() as file:
        counted, scored = csv.DictReader(file)
    assert counted["mae"] == ""
    assert float(scored["mae"]) == 3.75
    assert counted["n_test"] == scored["n_test"] == "3"
    kept = npz.load(output.with_suffix(".clients.npz"), "record of clients", ["score"])
    assert kept["method"].tolist() == ["persistence"]
    assert kept["score"].tolist() == [[2.5, 5]]


def test_what_the_data_does_not_say_is_not_scored_and_told(tmp_path):
    data = dataset(TARGETS)
    (line,) = lines(tmp_path, data, ["persistence"], ["mae"])
    assert "mae" not in line.values
    assert line.clients is None
    inputs = contract.Inputs(data, PARTITION)
    (sentence,) = facts.findings(inputs, Options(), methods("data", "persistence"))
    assert sentence.startswith("persistence is not scored. The data does not say")
    inputs = contract.Inputs(dataset(TARGETS, previous=BEFORE), PARTITION)
    assert facts.findings(inputs, Options(), methods("data", "persistence")) == []


def test_the_mean_of_earlier_days_by_hand(tmp_path):
    """Two hours of three days of one client: the third day has the means of the two before."""
    hours = np.array([0, 1, 24, 25, 48, 49]) * 3600.0
    targets = np.array([1, 10, 3, 20, 0, 0], np.float32)
    before = np.array([5, 6, 7, 8, 9, 9], np.float32)
    data = dataset(targets, time=hours, previous=before)
    algorithm = facts.make(*methods("same-time"))
    assert algorithm.outputs(data)[:, 0].tolist() == [5, 6, 1, 10, 2, 15]
    shuffled = np.array([4, 0, 5, 2, 1, 3])
    mixed = dataset(targets[shuffled], time=hours[shuffled], previous=before[shuffled])
    assert algorithm.outputs(mixed)[:, 0].tolist() == [2, 5, 15, 1, 6, 10]
    (line,) = lines(tmp_path, data, ["same-time"], ["mae"])
    assert line.values["mae"] == pytest.approx(((2 + 10) / 2 + 15) / 2)


def test_clocks_may_drift_by_less_than_half_a_step():
    """Three readings a day, eight hours apart, each some minutes early or late."""
    late = np.array([0, 3, -2, 4, -3, 1]) * 60.0
    times = np.array([8, 16, 24, 32, 40, 48]) * 3600.0 + late
    targets = np.array([1, 2, 3, 5, 7, 9], np.float32)
    data = dataset(targets, time=times, previous=np.zeros(6, np.float32))
    algorithm = facts.make(*methods("same-time"))
    assert algorithm.lacks(data) is None
    assert algorithm.outputs(data)[:, 0].tolist() == [0, 0, 0, 1, 2, 3]


def test_clients_have_days_of_their_own():
    hours = np.tile(np.array([0, 24, 48]) * 3600.0, 2)
    targets = np.array([1, 1, 1, 9, 9, 9], np.float32)
    data = dataset(targets, time=hours, previous=targets, owner=np.repeat([0, 1], 3))
    assert facts.make(*methods("same-time")).outputs(data)[:, 0].tolist() == targets.tolist()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "no numbers to forecast"),
        ({"previous": BEFORE}, "no times"),
        ({"previous": BEFORE, "time": np.arange(6.0)}, "hardly come twice"),
    ],
)
def test_without_a_day_there_is_no_mean_of_earlier_days(changes, words):
    data = dataset(TARGETS, **changes)
    algorithm = facts.make(*methods("same-time"))
    assert words in algorithm.lacks(data)
    assert algorithm.outputs(data) is None
