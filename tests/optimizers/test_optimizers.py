"""Optimisers by hand, and what all of them have in common."""

import pickle
import subprocess
import sys
from dataclasses import is_dataclass

import numpy as np
import pytest
import torch
from small_federation import START, a_round, assert_close, supervised, train

from fedreact import options, plugins
from fedreact.engine.engine import Stacked
from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.optimizers.adam import Adam
from fedreact.optimizers.dtssgd import DTSSGD
from fedreact.optimizers.rmsprop import RMSprop
from fedreact.optimizers.sgd import SGD

NAMES = plugins.names("optimizers", "OPTIMIZER")
EACH = pytest.mark.parametrize("name", NAMES)


def steps(optimizer, gradients, start=1.0, rate=0.3):
    """Where each of some gradients leads."""
    w, seen = torch.tensor([[start]], dtype=torch.float64), []
    optimizer = optimizer([w], rate)
    for gradient in gradients:
        w.grad = torch.tensor([[gradient]], dtype=torch.float64)
        optimizer.step()
        seen.append(w.item())
    return seen


def test_time_smoothed_sgd_by_hand():
    # gamma = 0.5, w = 2: W = 1.5, weights 2/3 and 1/3; eta = 0.3.
    # Steps 0.3 (2), 0.3 (4 + 1), 0.3 (6 + 2).
    assert steps(DTSSGD(2, 0.5), (3.0, 6.0, 9.0)) == pytest.approx([0.4, -1.1, -3.5])


def test_time_smoothed_sgd_with_window_one_is_sgd():
    job = supervised(FedAvg(), optimizer=DTSSGD(window=1, decay=0.9))
    plain = supervised(FedAvg(), optimizer=SGD())
    for one, other in zip(
        train(Stacked(job, "cpu"), theta=START), train(Stacked(plain, "cpu"), theta=START)
    ):
        np.testing.assert_allclose(one[1]["theta"], other[1]["theta"], rtol=1e-6)


@pytest.mark.parametrize(("window", "decay"), [(0, 1.0), (2, 0.0), (2, 1.5)])
def test_a_window_or_a_decay_that_is_none_is_refused(window, decay):
    given = {"kind": "dtssgd", "window": window, "decay": decay}
    with pytest.raises(UserError, match="window" if window < 1 else "decay"):
        plugins.make("optimizers", given, "OPTIMIZER", "optimizer")


def test_sgd_by_hand():
    assert steps(SGD(), (3.0, 6.0)) == pytest.approx([0.1, -1.7])
    # Velocities 3, 7.5.
    assert steps(SGD(momentum=0.5), (3.0, 6.0)) == pytest.approx([0.1, -2.15])
    # Gradients 3 + 1, 6 + (-0.2).
    assert steps(SGD(weight_decay=1.0), (3.0, 6.0)) == pytest.approx([-0.2, -1.94])


@pytest.mark.parametrize(
    ("mine", "torchs"),
    [
        (SGD(0.5, 0.1), lambda w: torch.optim.SGD(w, 0.3, momentum=0.5, weight_decay=0.1)),
        (SGD(), lambda w: torch.optim.SGD(w, 0.3)),
        (Adam(), lambda w: torch.optim.Adam(w, 0.3, fused=True)),
        (RMSprop(), lambda w: torch.optim.RMSprop(w, 0.3, 0.9, 1e-7, foreach=False)),
    ],
    ids=["sgd", "plain sgd", "adam", "rmsprop"],
)
def test_steps_are_those_of_torch_to_the_bit(mine, torchs):
    generator = torch.Generator().manual_seed(0)
    one = [torch.randn(3, 40, generator=generator) for _ in range(2)]
    other = [w.clone() for w in one]
    optimizers = mine(one, 0.3), torchs(other)
    for _ in range(5):
        for a, b in zip(one, other, strict=True):
            a.grad = torch.randn(3, 40, generator=generator)
            b.grad = a.grad.clone()
        for optimizer in optimizers:
            optimizer.step()
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


STEP = """
import sys, torch
from fedreact import plugins
w = torch.ones(2, 3)
w.grad = torch.ones(2, 3)
for name in sys.argv[1:]:
    before = w.clone()
    plugins.load("optimizers", name, "OPTIMIZER")()([w], 0.1).step()
    assert (w < before).all(), name
    assert "torch._dynamo" not in sys.modules, name
"""


def test_no_step_loads_the_compiler():
    """It takes a second and more, in each process."""
    words = [sys.executable, "-c", STEP, *NAMES]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_rmsprop_by_hand():
    w, mean, expected = 1.0, 0.0, []
    for g in (3.0, -6.0):
        mean = 0.9 * mean + 0.1 * g * g
        w -= 0.3 * g / (mean**0.5 + 1e-7)
        expected.append(w)
    assert steps(RMSprop(), (3.0, -6.0)) == pytest.approx(expected)


def test_adam_by_hand():
    w, m, v = 1.0, 0.0, 0.0
    expected = []
    for t, g in enumerate((3.0, -6.0, 1.0), 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w -= 0.3 * (m / (1 - 0.9**t)) / ((v / (1 - 0.999**t)) ** 0.5 + 1e-8)
        expected.append(w)
    assert steps(Adam(), (3.0, -6.0, 1.0)) == pytest.approx(expected, rel=1e-6)


@EACH
def test_options_are_fields_of_a_frozen_dataclass(name):
    kind = plugins.load("optimizers", name, "OPTIMIZER")
    assert is_dataclass(kind)
    assert kind.__dataclass_params__.frozen
    made = plugins.make("optimizers", {"kind": name}, "OPTIMIZER", "optimizer")
    assert isinstance(made, kind)
    assert pickle.loads(pickle.dumps(made)) == made  # processes that train get it so
    for option in options.names(kind):
        assert options.help_of(kind)[option]
        assert f"{option}=" in repr(made)  # which is part of a checkpoint's fingerprint
    with pytest.raises(UserError, match=r"optimizer: .*nonsense"):
        plugins.make("optimizers", {"kind": name, "nonsense": 1}, "OPTIMIZER", "optimizer")


@EACH
def test_clients_side_by_side_step_as_each_alone_and_afresh_in_each_round(name):
    optimizer = plugins.load("optimizers", name, "OPTIMIZER")()
    job = supervised(FedAvg(), optimizer=optimizer)
    stacked = train(Stacked(job, "cpu"))
    alone = train(Stacked(job, "cpu", 1))
    for (_, a, _), (_, b, _) in zip(stacked, alone):
        assert_close(a, b)
    again, _ = a_round(Stacked(job, "cpu", 1), alone[0][1]["theta"], 2)
    n = np.array([12, 30, 1])
    np.testing.assert_allclose(
        (n / n.sum()) @ again["theta"].astype(float), alone[1][1]["theta"], rtol=1e-6, atol=1e-7
    )


@EACH
def test_it_learns(name):
    optimizer, losses = plugins.load("optimizers", name, "OPTIMIZER")(), []
    job = supervised(FedAvg(), optimizer=optimizer, steps=200, batch_size=30, learning_rate=0.1)
    bad = 20 * START
    learnt = a_round(Stacked(job, "cpu"), bad, clients=[1])[0]["theta"][0]
    all_at_once = supervised(FedAvg(), steps=1, batch_size=30)
    for theta in (bad, learnt):
        told = {"clients": [1], "on_progress": lambda _, loss: losses.append(loss)}
        a_round(Stacked(all_at_once, "cpu"), theta, **told)
    assert losses[1] < 0.9 * losses[0]
