"""The supervised losses against torch's, with batches of different sizes."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from small_models import SmallNet
from torch.nn import functional as F

from fedreact.losses.objective import Data
from fedreact.losses.supervised import Batches, SupervisedLoss
from fedreact.models.flat import FlatWeights

K, C, N, T = 3, 4, 20, 6
RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.normal(size=(N, T, 2)))
LABELS = torch.from_numpy(RNG.integers(0, C, N))
TRUE = torch.from_numpy(RNG.random((N, C)) < 0.4)
NUMBERS = torch.from_numpy(RNG.normal(size=(N, C)))
BATCHES = [[3, 1, 4, 15, 9], [2, 6, -1, -1, -1], [5, 3, 5, 8, -1]]
"""Of each client: 5, 2 and 4 samples, one of them twice."""


@dataclass(frozen=True)
class Mean(FlatWeights):
    """A linear map of the mean over time."""

    n_out: int = C

    @property
    def shapes(self):
        return {"weight": (2, self.n_out)}

    def forward(self, theta, x):
        return x.mean(2) @ self.unpack(theta)["weight"]


def value(loss, y, batches=BATCHES):
    """Losses ``[K]``, gradients ``[K, P]``, and the weights ``[K, P]``."""
    P = loss.n_parameters
    theta = torch.from_numpy(np.random.default_rng(1).normal(size=(K, P))).requires_grad_()
    draws = [Batches(np.array([batch]), None) for batch in batches]
    found, buffers = loss.value(theta, Data(X, y), draws, 0)
    assert buffers is None
    (gradient,) = torch.autograd.grad(found.sum(), theta)
    return found, gradient, theta


@pytest.mark.parametrize(
    ("kind", "y", "reference"),
    [
        ("classification", LABELS, F.cross_entropy),
        (
            "multi-label",
            TRUE,
            lambda f, y: F.binary_cross_entropy_with_logits(f, y.to(f.dtype)),
        ),
        ("regression", NUMBERS, F.mse_loss),
        ("regression", NUMBERS[:, :1], F.mse_loss),
        ("regression", NUMBERS[:, 0], lambda f, y: F.mse_loss(f[:, 0], y)),
    ],
    ids=["labels", "several labels", "several targets", "a column", "a target"],
)
def test_values_and_gradients_equal_torchs(kind, y, reference):
    n_out = 1 if kind == "regression" and (y.dim() == 1 or y.shape[1] == 1) else C
    loss = SupervisedLoss(Mean(n_out), kind)
    found, gradient, theta = value(loss, y)
    for k, batch in enumerate(BATCHES):
        at = [i for i in batch if i >= 0]
        one = theta[k].detach().requires_grad_()
        expected = reference(X[at].mean(1) @ one.view(2, n_out), y[at])
        torch.testing.assert_close(found[k], expected)
        torch.testing.assert_close(gradient[k], torch.autograd.grad(expected, one)[0])


@pytest.mark.parametrize("y", [NUMBERS, NUMBERS[:, 0]], ids=["several targets", "a target"])
def test_absolute_errors_equal_torchs(y):
    n_out = C if y.dim() == 2 else 1
    found, gradient, theta = value(SupervisedLoss(Mean(n_out), "regression", error="absolute"), y)
    for k, batch in enumerate(BATCHES):
        at = [i for i in batch if i >= 0]
        one = theta[k].detach().requires_grad_()
        outputs = X[at].mean(1) @ one.view(2, n_out)
        expected = F.l1_loss(outputs, y[at].view(outputs.shape))
        torch.testing.assert_close(found[k], expected)
        torch.testing.assert_close(gradient[k], torch.autograd.grad(expected, one)[0])


@pytest.mark.parametrize(
    ("kind", "y"), [("classification", LABELS), ("multi-label", TRUE), ("regression", NUMBERS)]
)
def test_what_fills_up_a_batch_counts_for_nothing(kind, y):
    loss = SupervisedLoss(Mean(), kind)
    found, gradient, _ = value(loss, y)
    more, also, _ = value(loss, y, [[*batch, -1, -1] for batch in BATCHES])
    torch.testing.assert_close(more, found)
    torch.testing.assert_close(also, gradient)


def test_layers_that_draw_get_a_seed_for_each_step():
    loss = SupervisedLoss(SmallNet())
    first, second = (loss.draw(np.random.default_rng(5), np.arange(7), T, 3, 9) for _ in range(2))
    assert first.samples.shape == (9, 3)
    assert len(np.unique(first.seeds)) == 9
    assert np.array_equal(first.seeds, second.seeds)
    assert np.array_equal(first.samples, second.samples)
    assert loss.n_buffers == SmallNet().n_buffers == 20


def test_running_statistics_come_in_the_order_of_the_flat_vector():
    model = SmallNet(in_channels=2, n_out=C, length=T, share=0.0)
    theta = torch.stack([model.init(torch.Generator().manual_seed(k)) for k in range(2)]).double()
    draws = [Batches(np.arange(N)[None], np.array([k])) for k in range(2)]
    _, buffers = SupervisedLoss(model).value(theta, Data(X, LABELS), draws, 0)
    renewed = model.unpack(torch.cat([theta[:, : -model.n_buffers], buffers], 1))
    w = model.unpack(theta)
    for k in range(2):
        h = F.linear(X, w["first.weight"][k], w["first.bias"][k]).flatten(0, 1)
        torch.testing.assert_close(renewed["norm1.mean"][k], 0.1 * h.mean(0))
        torch.testing.assert_close(renewed["norm1.var"][k], 0.9 + 0.1 * h.var(0))
