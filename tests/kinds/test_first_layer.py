"""What the server's first layer attends to."""

from dataclasses import asdict

import numpy as np
import pytest
from kinds.test_asynchronous import OPTIONS, N, T, inputs

from fedreact.engine.place import Place
from fedreact.kinds.asynchronous.algorithms.aso_fed import attention
from fedreact.kinds.first_layer import spec
from fedreact.kinds.first_layer.run import run, work
from fedreact.models.architectures.lstm_plain import PlainLSTM
from fedreact.task import Task

GIVEN = spec.Options(**asdict(OPTIONS) | {"architecture": "lstm-plain"})


def lines(folder, workers=1, kind="classification"):
    place = Place("cpu", workers, folder / f"{workers}.npz")
    return list(run(inputs(kind), GIVEN, [], {}, 0, place))


def test_attention_by_hand():
    """Where |w| are log 3 and log 1, shares of 3/4 and 1/4; signs do not count."""
    model = PlainLSTM(in_channels=2, n_out=1, length=3, hidden=1)
    theta = np.zeros(model.n_parameters, np.float32)
    theta[:8] = np.log([3, 1, 1, 3, 1, 1, 1 / 3, 1])
    at, alpha = attention(model, theta)
    assert at.ravel().tolist() == list(range(8))
    expected = [[0.75, 0.25], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25]]
    np.testing.assert_allclose(alpha, expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_a_line_for_each_moment_and_channel_whose_mean_is_1(tmp_path, kind):
    found = lines(tmp_path, kind=kind)
    assert [line.index for line in found] == [(t, c) for t in (1, 2, 3) for c in (0, 1)]
    weight = np.array([line.values["weight"] for line in found]).reshape(3, 2)
    np.testing.assert_allclose(weight.mean(1), 1, rtol=1e-6)
    assert len(set(weight[:, 0])) == 3  # it is trained


def test_workers_change_no_bit(tmp_path):
    assert lines(tmp_path) == lines(tmp_path, workers=2)


def test_its_work_is_that_of_its_trips():
    task = Task("classification", 3, 2, T)
    assert work(GIVEN, [], task, [N]) > 0
