"""Layers that do otherwise in training, against torch's and whoever trains beside whom."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_models import SmallNet
from torch import nn

from fedreact.engine.engine import Stacked, TrainingJob, Workers
from fedreact.engine.local_training import LocalTraining
from fedreact.kinds.synchronous.algorithms.fedavg import FedAvg
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.layers import Training, batch_norm, dropout, lstm, lstm_of_all
from fedreact.optimizers.sgd import SGD

K, B, T, F = 3, 7, 5, 4


def noise(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def layer(seed=0):
    """Weights and running statistics of K clients, away from where they start."""
    values = noise(4, K, F, seed=seed)
    values[3] = values[3].square() + 0.5
    return dict(zip(("n.weight", "n.bias", "n.mean", "n.var"), values))


def torchs(w, k):
    """torch's layer with the weights and statistics of client k."""
    module = nn.BatchNorm1d(F).double()
    names = {"weight": "weight", "bias": "bias", "running_mean": "mean", "running_var": "var"}
    state = {theirs: w[f"n.{ours}"][k].clone() for theirs, ours in names.items()}
    module.load_state_dict(state, strict=False)
    return module


def all_there(counts=(B,) * K):
    return Training(range(K), torch.arange(max(counts)) < torch.tensor(counts)[:, None])


def channels_second(h):
    """``[B, F]`` or ``[B, T, F]`` as torch's layer wants it."""
    return h.movedim(-1, 1)


@pytest.mark.parametrize("shape", [(B, F), (B, T, F)], ids=["series", "steps"])
@pytest.mark.parametrize("counts", [(B, B, B), (B, 2, 5)], ids=["full", "filled up"])
def test_batch_norm_equals_torchs_over_several_steps(shape, counts):
    w = layer()
    modules = [torchs(w, k) for k in range(K)]
    for step in range(4):
        h = (3 * noise(K, *shape, seed=step) + 2).requires_grad_()
        at = {n: v.clone().requires_grad_(n in ("n.weight", "n.bias")) for n, v in w.items()}
        training = all_there(counts)
        found = batch_norm(h, at, "n", training)
        pull = noise(*found.shape, seed=100 + step)
        there = training.counts.view(K, B, *[1] * (len(shape) - 1))
        (found * pull * there).sum().backward()
        for k, (module, n) in enumerate(zip(modules, counts)):
            module.zero_grad()
            theirs = h[k, :n].detach().requires_grad_()
            expected = channels_second(module(channels_second(theirs)))
            (expected * pull[k, :n]).sum().backward()
            torch.testing.assert_close(found[k, :n], expected)
            torch.testing.assert_close(h.grad[k, :n], theirs.grad)
            assert not h.grad[k, n:].any()
            torch.testing.assert_close(at["n.weight"].grad[k], module.weight.grad)
            torch.testing.assert_close(at["n.bias"].grad[k], module.bias.grad)
            torch.testing.assert_close(training.buffers["n.mean"][k], module.running_mean)
            torch.testing.assert_close(training.buffers["n.var"][k], module.running_var)
        w |= training.buffers
    h = noise(K, *shape, seed=50)
    found = batch_norm(h, w, "n", None)
    for k, module in enumerate(modules):
        expected = channels_second(module.eval()(channels_second(h[k])))
        torch.testing.assert_close(found[k], expected)


def test_what_fills_up_a_batch_changes_nothing():
    h, w = noise(K, B, T, F), layer()
    both = []
    for filling in (0.0, 1e6):
        training = all_there((B, 2, 5))
        h[1, 2:] = h[2, 5:] = filling
        both.append((batch_norm(h, w, "n", training), training.buffers))
    (a, before), (b, after) = both
    for k, n in enumerate((B, 2, 5)):
        assert torch.equal(a[k, :n], b[k, :n])
    for name in before:
        assert torch.equal(before[name], after[name])


def test_statistics_of_a_single_value_are_finite():
    training = Training([0], torch.tensor([[True]]))
    w = {name: value[:1] for name, value in layer().items()}
    found = batch_norm(noise(1, 1, F), w, "n", training)
    torch.testing.assert_close(found[0, 0], w["n.bias"][0])
    torch.testing.assert_close(training.buffers["n.var"], 0.9 * w["n.var"])


def test_running_statistics_carry_no_gradient():
    h, training = noise(K, B, F).requires_grad_(), all_there()
    w = {name: value.requires_grad_() for name, value in layer().items()}
    batch_norm(h, w, "n", training)
    assert not any(value.requires_grad for value in training.buffers.values())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_dropout_keeps_its_share_and_scales_it_up(share):
    h = torch.full((2, 100, 200), 3.0)
    found = dropout(h, share, Training([5, 6], torch.ones(2, 100, dtype=torch.bool)))
    kept = found != 0
    torch.testing.assert_close(found[kept], torch.full_like(found[kept], 3 / (1 - share)))
    deviation = (share * (1 - share) / h[0].numel()) ** 0.5
    for k in range(2):
        assert kept[k].double().mean().item() == pytest.approx(1 - share, abs=5 * deviation)
    assert not torch.equal(kept[0], kept[1])


def test_dropout_does_nothing_outside_training_or_of_no_share():
    h = noise(K, B, F)
    assert torch.equal(dropout(h, 0.5, None), h)
    assert torch.equal(dropout(h, 0.0, all_there()), h)


def test_dropouts_of_a_step_differ_and_follow_from_its_seed():
    h = torch.ones(1, 50, 20)

    def twice(seed):
        training = Training([seed], torch.ones(1, 50, dtype=torch.bool))
        return dropout(h, 0.5, training), dropout(h, 0.5, training)

    first, second = twice(1)
    assert not torch.equal(first, second)
    assert all(map(torch.equal, (first, second), twice(1)))
    assert not torch.equal(first, twice(2)[0])


@pytest.mark.parametrize("others", [B, B + 4], ids=["same batch", "larger batch"])
def test_dropout_draws_the_same_for_a_client_whoever_trains_beside_it(others):
    h = torch.ones(K, others, T, F)
    there = torch.arange(others) < torch.tensor([others, B, others])[:, None]
    alone = dropout(h[1:2, :B], 0.5, Training([11], there[1:2, :B]))
    beside = dropout(h, 0.5, Training([10, 11, 12], there))
    assert torch.equal(beside[1, :B], alone[0])


def test_a_second_dropout_draws_the_same_for_a_client_whoever_trains_beside_it():
    h = torch.ones(K, B + 4, T, F)
    there = torch.arange(B + 4) < torch.tensor([B + 4, B, B + 4])[:, None]
    alone, beside = Training([11], there[1:2, :B]), Training([10, 11, 12], there)
    dropout(h[1:2, :B], 0.5, alone)
    dropout(h, 0.5, beside)
    assert torch.equal(dropout(h, 0.5, beside)[1, :B], dropout(h[1:2, :B], 0.5, alone)[0])


# --- Through the engine

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 20, 3)).astype(np.float32)
TARGETS = {
    "classification": RNG.integers(0, 2, 60),
    "multi-label": RNG.random((60, 2)) < 0.4,
    "regression": RNG.normal(size=(60, 2)).astype(np.float32),
}
# 3, 6 and 1 steps a pass, the last ones with 2, 5 and 4 series.
CLIENTS = [np.arange(12), np.arange(10, 40), np.arange(50, 54)]


@pytest.fixture
def one_thread():
    """As a training has it: the order of sums must not follow from the threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def job(kind="classification", **changes):
    loss = SupervisedLoss(SmallNet(**changes), kind)
    training = LocalTraining(loss, None, 5, 0.05, epochs=2, optimizer=SGD(momentum=0.5))
    return TrainingJob(training, FedAvg(), X, CLIENTS, seed=3, y=TARGETS[kind])


def start(of):
    return of.training.objective.init(torch.Generator().manual_seed(1)).numpy()


def trained(engine, rounds=2):
    """Weights ``[K, P]`` of each client after some rounds, in which each goes on from its own."""
    theta = np.tile(start(engine.job), (len(CLIENTS), 1))
    with engine:
        for t in range(1, rounds + 1):
            uploads, _ = engine.round({"theta": theta}, {}, t)
            theta = uploads["theta"].copy()
    return theta


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("kind", TARGETS)
def test_engines_train_the_same_weights_and_running_statistics(kind):
    of = job(kind)
    alone, together = trained(Stacked(of, "cpu", 1)), trained(Stacked(of, "cpu"))
    assert trained(Workers(of, 2)).tobytes() == alone.tobytes()
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)
    n = of.training.objective.n_buffers
    assert n == 20
    for part in (slice(None, -n), slice(-n, None)):
        assert (np.abs(alone - start(of))[:, part].max(1) > 0.01).all()


def test_engines_train_the_same_weights_with_two_dropouts():
    of = job(drop_twice=True)
    alone, together = trained(Stacked(of, "cpu", 1), 1), trained(Stacked(of, "cpu"), 1)
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_training_equals_torchs_layers_by_hand():
    """One client, no dropout: autograd and torch.optim through torch's own modules."""
    of = replace(job(share=0.0), clients=CLIENTS[:1])
    model, theta = of.training.objective.architecture, start(of)
    w = model.unpack(torch.from_numpy(theta)[None])
    first, norm1 = nn.Linear(3, 6), nn.BatchNorm1d(6)
    second, norm2, head = nn.Linear(6, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)
    parts = {"first": first, "norm1": norm1, "second": second, "norm2": norm2, "head": head}
    for name, module in parts.items():
        state = {n: w[f"{name}.{n}"][0] for n in ("weight", "bias")}
        module.load_state_dict(state, strict=False)
    modules = nn.ModuleDict(parts)

    def forward(x):
        h = norm1(first(x).mT).relu().mean(2)
        return head(norm2(second(h)).relu())

    optimizer = torch.optim.SGD(modules.parameters(), lr=0.05, momentum=0.5)
    work = of.work(Data(torch.from_numpy(X)), [0], of.clients, 1, lambda losses: None)
    (batches,) = of.training.draw(work)
    y = torch.from_numpy(TARGETS["classification"])
    for at in batches.samples:
        at = at[at >= 0]
        optimizer.zero_grad()
        nn.functional.cross_entropy(forward(torch.from_numpy(X[at])), y[at]).backward()
        optimizer.step()
    with Stacked(of, "cpu") as engine:
        found = engine.round({"theta": theta}, {}, 1)[0]["theta"]
    w = model.unpack(torch.from_numpy(found))
    for name, module in parts.items():
        for ours, theirs in module.named_parameters():
            torch.testing.assert_close(w[f"{name}.{ours}"][0], theirs.detach(), rtol=0, atol=1e-5)
    for name in ("norm1", "norm2"):
        torch.testing.assert_close(w[f"{name}.mean"][0], parts[name].running_mean)
        torch.testing.assert_close(w[f"{name}.var"][0], parts[name].running_var)
    modules.eval()
    found = model.forward(torch.from_numpy(found), torch.from_numpy(X)[None])[0]
    torch.testing.assert_close(found, forward(torch.from_numpy(X)).detach(), rtol=0, atol=1e-4)


def test_neither_a_decay_nor_a_pull_moves_running_statistics():
    of = replace(job(), clients=CLIENTS[:1])
    n = of.training.objective.n_buffers
    at = torch.from_numpy(start(of))[None]
    work = of.work(Data(*map(torch.from_numpy, (X, of.y))), [0], of.clients, 1, lambda losses: None)
    found = []
    for decay, pull in ((0.0, None), (0.5, None), (0.0, (2.0, torch.zeros(at.shape[1])))):
        optimizer = SGD(momentum=0.5, weight_decay=decay)
        training = replace(of.training, steps=1, optimizer=optimizer)
        found.append(training.descend(at, work, training.draw(work), pull)[0])
    for other in found[1:]:
        assert torch.equal(other[-n:], found[0][-n:])
        assert not torch.isclose(other[:-n], found[0][:-n]).all()


def test_a_server_averages_running_statistics_as_weights():
    of = job()
    with Stacked(of, "cpu") as engine:
        uploads, _ = engine.round({"theta": start(of)}, {}, 1)
    sizes = np.array([len(c) for c in CLIENTS])
    server = of.algorithm.aggregate({"theta": start(of)}, uploads, sizes)
    expected = sizes / sizes.sum() @ uploads["theta"].astype(float)
    np.testing.assert_allclose(server["theta"], expected, rtol=1e-5, atol=1e-6)


def test_statistics_stay_single_where_products_are_in_half_precision():
    weights = {"n.weight": torch.ones(1, F), "n.bias": torch.zeros(1, F)}
    weights |= {"n.mean": torch.zeros(1, F), "n.var": torch.ones(1, F)}
    training = Training([0], torch.ones(1, B, dtype=torch.bool))
    batch_norm(torch.randn(1, B, F).bfloat16(), weights, "n", training)
    assert {value.dtype for value in training.buffers.values()} == {torch.float32}


def test_lstms_of_all_clients_at_once_equal_those_of_each():
    x, hidden = noise(K, B, T, F), 6
    weights = noise(K, 4 * hidden, F), noise(K, 4 * hidden, hidden, seed=1)
    biases = noise(2, K, 4 * hidden, seed=2)
    each, at_once = lstm(x, *weights, *biases), lstm_of_all(x, *weights, *biases)
    torch.testing.assert_close(each, at_once)
