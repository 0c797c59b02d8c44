"""A training that stands still is stopped, and one that has not begun is not."""

from dataclasses import replace

import numpy as np
import pytest
from small_synchronous import OPTIONS, inputs, methods, metrics

from fedreact.engine.place import Place
from fedreact.errors import UserError
from fedreact.kinds.supervised import ScaledTargets
from fedreact.kinds.synchronous import run as synchronous
from fedreact.kinds.synchronous.plateau import Plateau, floor
from fedreact.metrics.grammar import load_metric
from fedreact.task import Task


@pytest.mark.parametrize(
    ("scores", "is_reached"),
    [
        ([0.5], False),  # nothing has doubled
        ([0.5, 0.5], False),  # one doubling is not enough
        ([0.5, 0.5, 0.5, 0.6], False),  # gains .1
        ([0.5, 0.5, 0.5, 0.505], True),  # gains .005
        ([0.5, 0.4, 0.4, 0.4], True),  # loses
        ([0.5, 0.6, 0.3, 0.3], False),  # the best of them counts, not the last
        ([0.2, 0.2, 0.2, 0.2], False),  # at the constant's score: not begun
        ([0.2, 0.2, 0.2, 0.209], False),
        ([0.2, 0.2, 0.2, 0.5], False),
        ([0.2, 0.5, 0.5, 0.5, 0.5], False),  # five are no doubling
        ([0.2, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.509], True),  # over the first two
        ([0.2, 0.5, 0.5, 0.5, 0.5, 0.6, 0.5, 0.5], False),
        ([0.5, 0.5, np.nan, 0.505], True),  # the third round is not scored
        ([0.5, 0.6, np.nan, 0.5, np.nan, np.nan, np.nan, 0.7], False),
    ],
)
def test_a_training_stands_still_once_it_has_begun(scores, is_reached):
    assert Plateau(gain=0.01, floor=0.2, sign=1).is_reached(scores) == is_reached
    errors = [1 - score for score in scores]
    assert Plateau(gain=0.01, floor=0.8, sign=-1).is_reached(errors) == is_reached


def test_the_floor_is_the_score_of_each_clients_most_frequent_label():
    y = np.array([0, 0, 1, 1, 1, 2, 0, 1])
    train, held = [np.array([0, 1, 2]), np.array([3, 4, 5])], [np.array([6, 7]), np.array([5])]
    task = Task("classification", outputs=3, channels=1, steps=1)
    accuracy = floor(train, held, ScaledTargets(y), task, "accuracy", load_metric("accuracy"))
    assert accuracy == pytest.approx((1 / 2 + 0) / 2)  # 0 of [0, 1]; 1 of [2]
    # A client that has never seen the last label is scored on it, too.
    f1 = floor([train[0]], [held[1]], ScaledTargets(y), task, "f1", load_metric("f1"))
    assert f1 == 0


def test_the_floor_of_a_regression_is_the_error_of_means_in_the_targets_unit():
    targets = ScaledTargets(np.array([0.0, 2.0, 4.0, 4.0]), unit=10.0, centre=3.0)
    rmse, task = load_metric("rmse"), Task("regression", outputs=1, channels=1, steps=1)
    error = floor([np.array([0, 1])], [np.array([2, 3])], targets, task, "rmse", rmse)
    assert error == pytest.approx(30)  # 10 * (4 - 1)


def train(folder, **changes):
    options = replace(OPTIONS, rounds=16, epochs=10, **changes)
    place = Place("cpu", 1, folder / "checkpoint.npz")
    lines = synchronous.run(inputs(), options, methods("fedavg"), metrics("accuracy"), 0, place)
    return {line.index: line.values for line in lines}


def test_a_run_ends_at_its_plateau_and_is_the_longer_run_until_then(tmp_path, monkeypatch):
    stopped = train(tmp_path / "stopped", plateau=0.2)
    with monkeypatch.context() as patch:
        patch.setattr(Plateau, "is_reached", lambda self, scores: False)
        whole = train(tmp_path / "whole", plateau=0.2)
    assert list(whole) == [("fedavg", t) for t in range(1, 17)]
    assert 1 < len(stopped) < len(whole)
    assert stopped == dict(list(whole.items())[: len(stopped)])
    held_out = [values["accuracy@held_out"] for values in stopped.values()]
    assert max(held_out) - max(held_out[: len(held_out) // 4]) < 0.2
    assert train(tmp_path / "stopped", plateau=0.2) == stopped  # from its checkpoint


def test_scores_after_doublings_are_enough(tmp_path):
    whole, doubling = (train(tmp_path / s, plateau=0.2, score=s) for s in ("all", "doubling"))
    assert 2 < len(doubling) < len(whole)
    assert doubling.items() <= whole.items()


def test_plateaus_need_scores_after_doublings_and_something_to_gain(tmp_path):
    place = Place("cpu", 1, tmp_path / "checkpoint.npz")
    options = replace(OPTIONS, score="last", plateau=0.1)
    run = synchronous.run(inputs(), options, methods("fedavg"), metrics("accuracy"), 0, place)
    with pytest.raises(UserError, match="plateau: needs score: all or doubling, not last"):
        list(run)
    options = replace(OPTIONS, plateau=0.1)
    odd = {"accuracy": replace(load_metric("accuracy"), better=None)}
    run = synchronous.run(inputs(), options, methods("fedavg"), odd, 0, place)
    with pytest.raises(UserError, match="plateau: accuracy has no better values"):
        list(run)
