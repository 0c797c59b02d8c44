"""Losses of tasks side by side, by hand."""

import numpy as np
import pytest
import torch

from fedreact.losses.of_tasks import LossOfTasks

Z = torch.tensor([[[0.0, 1.0, -2.0]]])
P = torch.sigmoid(Z[0, 0]).numpy()
Y = torch.tensor([[[True, True, False]]])


def test_normalised_cross_entropy_by_hand():
    logs = np.log(P / P.sum())
    assert LossOfTasks("multi-label")(Z, Y).item() == pytest.approx(-logs[:2].sum(), rel=1e-6)
    smoothed = LossOfTasks("multi-label", smoothing=0.3)(Z, Y).item()
    assert smoothed == pytest.approx(-0.7 * logs[:2].sum() - 0.3 * logs.mean(), rel=1e-6)


def test_it_does_not_tell_labels_probabilities_but_for_a_factor():
    small = torch.logit(torch.sigmoid(Z) / 2)
    loss = LossOfTasks("multi-label", smoothing=0.3)
    assert loss(small, Y).item() == pytest.approx(loss(Z, Y).item(), rel=1e-6)


def test_cross_entropy_of_each_label_by_hand():
    wanted = -np.log([P[0], P[1], 1 - P[2]]).mean()
    assert LossOfTasks("multi-label", "binary")(Z, Y).item() == pytest.approx(wanted, rel=1e-6)


def test_numbers_pass_a_sigmoid_or_do_not():
    y = torch.tensor([[[0.5, 0.0, 1.0]]])
    bounded = np.abs(P - y.numpy()[0, 0]).mean()
    assert LossOfTasks("regression")(Z, y).item() == pytest.approx(bounded, rel=1e-6)
    free = LossOfTasks("regression", bounded=False)
    assert free(Z, y).item() == pytest.approx((0.5 + 1 + 3) / 3)
    assert torch.equal(free.predicted(Z), Z)


def test_one_of_several_labels():
    found = LossOfTasks("classification")(Z, torch.tensor([[1]]))
    wanted = torch.nn.functional.cross_entropy(Z[0], torch.tensor([1]))
    assert found.shape == (1, 1)
    assert found.item() == pytest.approx(wanted.item())
