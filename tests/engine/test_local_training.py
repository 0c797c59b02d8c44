"""What a client does in a round, whatever the algorithm."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_federation import (
    CLIENTS,
    NORMED,
    START,
    SUPERVISED,
    Linear,
    X,
    a_round,
    initial,
    supervised,
)

from fedreact.engine.engine import Stacked, TrainingJob
from fedreact.engine.local_training import LocalTraining, Work
from fedreact.errors import UserError
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.causal_cnn import CausalCNN


def test_epochs_visit_every_sample_once_and_keep_the_last_batch():
    loss = SupervisedLoss(Linear())
    draws = loss.draw(np.random.default_rng(0), np.arange(100, 112), 20, 5, 6).samples
    assert draws.shape == (6, 5)
    for epoch in (draws[:3], draws[3:]):
        assert sorted(epoch[epoch >= 0]) == list(range(100, 112))
        assert (epoch >= 0).sum(1).tolist() == [5, 5, 2]
    assert SUPERVISED.n_steps(12) == 6


@pytest.mark.parametrize("steps", [None, 1, 3, 4, 7])
@pytest.mark.parametrize("n", [1, 4, 5, 12, 30])
def test_samples_that_are_counted_are_those_that_are_drawn(steps, n):
    training, rng = replace(SUPERVISED, steps=steps), np.random.default_rng(0)
    assert training.n_steps(n) == (steps or 2 * -(-n // 5))
    drawn = training.objective.draw(rng, np.arange(n), 20, 5, training.n_steps(n)).samples
    assert training.n_drawn(n) == (drawn >= 0).sum()


def test_anchors_that_are_counted_are_those_that_are_drawn():
    training = LocalTraining(ContrastiveLoss(CausalCNN()), steps=4, batch_size=3)
    drawn = training.objective.draw(np.random.default_rng(0), np.arange(2), 20, 3, 4).anchor
    assert training.n_drawn(2) == drawn.size == 12


def test_numbers_are_regressed():
    target = X.mean((1, 2)).astype(np.float32)
    job = TrainingJob(
        LocalTraining(
            SupervisedLoss(Linear(1), "regression"), steps=1, batch_size=40, learning_rate=0.01
        ),
        FedAvg(), X, [np.arange(40)], 0, target,
    )  # fmt: skip
    theta = np.zeros(3, np.float32)
    losses = []
    with Stacked(job, "cpu") as engine:
        for t in range(1, 200):
            uploads, _ = engine.round({"theta": theta}, {}, t, lambda _, loss: losses.append(loss))
            theta = uploads["theta"][0]
    assert losses[0] == pytest.approx((target**2).mean(), rel=1e-5)
    np.testing.assert_allclose(theta, 1 / 3, atol=0.05)


def test_several_numbers_and_several_labels_are_learnt():
    wanted = np.random.default_rng(3).normal(size=(3, 2)).astype(np.float32)
    outputs = X.mean(1) @ wanted
    for kind, y, first in (
        ("regression", outputs, (outputs**2).mean()),
        ("multi-label", outputs > 0, np.log(2)),
    ):
        training = LocalTraining(
            SupervisedLoss(Linear(2), kind), steps=400, batch_size=40, learning_rate=0.05
        )
        job, losses = TrainingJob(training, FedAvg(), X, [np.arange(40)], 0, y), []
        start = {"theta": np.zeros(6, np.float32)}
        with Stacked(replace(job, training=replace(training, steps=1)), "cpu") as engine:
            engine.round(start, {}, 1, lambda _, loss, losses=losses: losses.append(loss))
        assert losses[0] == pytest.approx(first, rel=1e-5)
        with Stacked(job, "cpu") as engine:
            uploads, _ = engine.round(start, {}, 1)
        learnt = uploads["theta"][0].reshape(3, 2)
        if kind == "regression":
            np.testing.assert_allclose(learnt, wanted, atol=0.05)
        else:
            assert ((X.mean(1) @ learnt > 0) == y).mean() > 0.95


def work_of(job, clients, t=1):
    data = job.data(lambda tensor: tensor)
    return job.work(data, range(len(clients)), clients, t, lambda losses: None)


@pytest.mark.parametrize("of", [SUPERVISED, NORMED], ids=["linear", "normed"])
def test_descending_leaves_what_it_starts_from_as_it_is(of):
    job = supervised(FedAvg(), of)
    start = torch.from_numpy(initial(job)).repeat(3, 1)
    before, centre = start.clone(), start[0].clone()
    work = work_of(job, CLIENTS)
    trained = of.descend(start, work, of.draw(work), (0.5, centre))
    assert torch.equal(start, before)
    assert torch.equal(centre, before[0])
    assert (trained != before).any(1).all()


def test_weights_to_train_are_copies_of_those_of_each_or_of_all():
    work = Work(Data(torch.zeros(1, 20, 3)), CLIENTS, lambda purpose: [])
    common, own = torch.arange(2.0), torch.arange(6.0).view(3, 2)
    for given, expected in ((common, [[0, 1]] * 3), (own, own.tolist())):
        made = work.start_weights(given)
        assert made.tolist() == expected
        made += 1
        assert common.tolist() == [0, 1]
        assert own.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_pull_moves_weights_but_no_running_statistics():
    job = supervised(FedAvg(), NORMED)
    start = torch.from_numpy(initial(job)).repeat(3, 1)
    work, n = work_of(job, CLIENTS), job.training.objective.n_buffers
    draws = NORMED.draw(work)
    far = torch.full_like(start[0], 100.0)
    free, pulled = (
        replace(NORMED, steps=1).descend(start, work, draws, pull) for pull in (None, (1e3, far))
    )
    # Of one step the statistics are those of the batch, wherever the weights are pulled.
    assert torch.equal(free[:, -n:], pulled[:, -n:])
    assert (pulled[:, :-n] > start[:, :-n]).all()


def test_a_lower_precision_rounds_products_and_keeps_weights_whole():
    plain, rough = (
        a_round(Stacked(supervised(FedAvg(), precision=precision), "cpu"))[0]["theta"]
        for precision in ("float32", "bfloat16")
    )
    assert rough.dtype == np.float32
    assert 0 < np.abs(plain - rough).max() < 0.1 * np.abs(plain - START).max()


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"batch_size": 0}, {"epochs": 0}])
def test_no_steps_are_refused(wrong):
    with pytest.raises(UserError, match="must be at least 1"):
        replace(SUPERVISED, **wrong)


@pytest.mark.parametrize("wrong", [0, -1, np.inf, np.nan])
def test_a_learning_rate_that_is_none_is_refused(wrong):
    with pytest.raises(UserError, match="must be positive and finite"):
        replace(SUPERVISED, learning_rate=wrong)
