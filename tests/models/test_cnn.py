"""The CNN of FedST and its baselines, beside torch's layers; views and heads made of it."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import nn

from fedreact.models.architectures.cnn import CNN
from fedreact.models.architectures.cnn_eeg import EEGCNN
from fedreact.models.architectures.cnn_sleep import SleepCNN
from fedreact.models.layers import Training
from fedreact.models.two_heads import TwoHeads
from fedreact.models.two_views import TwoViews, spectrum

SMALL = {"widths": (3, 4, 5), "drop": 0.0}


def of_torch(model):
    """The same network of torch's modules (AdaTime's layers)."""
    layers, channels = [], model.in_channels
    for i, width in enumerate(model.widths):
        kernel, stride = (model.kernel, model.stride) if i == 0 else (8, 1)
        layers += [
            nn.Conv1d(channels, width, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.MaxPool1d(2, 2, 1),
        ]
        channels = width
    layers += [nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(channels, model.n_out)]
    return nn.Sequential(*layers).double()


def copied(net, model, theta):
    """Weights of a client in torch's network."""
    w = model.unpack(theta[None].double())
    convolutions = [layer for layer in net if isinstance(layer, nn.Conv1d)]
    norms = [layer for layer in net if isinstance(layer, nn.BatchNorm1d)]
    for i, (convolution, norm) in enumerate(zip(convolutions, norms)):
        convolution.weight.data = w[f"conv{i}.weight"][0].clone()
        norm.weight.data, norm.bias.data = (
            w[f"norm{i}.{of}"][0].clone() for of in ("weight", "bias")
        )
        norm.running_mean.data = w[f"norm{i}.mean"][0].clone()
        norm.running_var.data = w[f"norm{i}.var"][0].clone()
    net[-1].weight.data, net[-1].bias.data = w["head.weight"][0], w["head.bias"][0]
    return net


@pytest.mark.parametrize("kind", [CNN, EEGCNN, SleepCNN])
@pytest.mark.parametrize("K", [1, 3])
def test_like_torchs_layers_in_training_and_out_of_it(kind, K):
    model = kind(2, 3, 60, **SMALL)
    generator = torch.Generator().manual_seed(0)
    theta = torch.stack([model.init(generator) for _ in range(K)]).double()
    x = torch.randn(K, 7, 60, 2, generator=generator, dtype=torch.float64)
    training = Training(range(K), torch.ones(K, 7, dtype=torch.bool))
    found, after = model.forward(theta, x, training), model.forward(theta, x)
    for k in range(K):
        net = copied(of_torch(model), model, theta[k])
        series = x[k].transpose(1, 2)
        assert_allclose(after[k].detach(), net.eval()(series).detach(), rtol=1e-9, atol=1e-12)
        assert_allclose(found[k].detach(), net.train()(series).detach(), rtol=1e-9, atol=1e-12)
        norms = [layer for layer in net if isinstance(layer, nn.BatchNorm1d)]
        for i, norm in enumerate(norms):
            assert_allclose(training.buffers[f"norm{i}.mean"][k], norm.running_mean, rtol=1e-6)
            assert_allclose(training.buffers[f"norm{i}.var"][k], norm.running_var, rtol=1e-6)


def test_a_smaller_batch_beside_a_whole_one():
    model = CNN(2, 3, 40, **SMALL)
    generator = torch.Generator().manual_seed(0)
    theta = model.init(generator).double().repeat(2, 1)
    x = torch.randn(2, 6, 40, 2, generator=generator, dtype=torch.float64)
    counts = torch.ones(2, 6, dtype=torch.bool)
    counts[1, 4:] = False
    both = Training([0, 1], counts)
    alone = Training([1], counts[1:, :4])
    found = model.forward(theta, x, both)[1, :4]
    assert_allclose(found, model.forward(theta[1:], x[1:, :4], alone)[0], rtol=1e-9)
    for name, values in alone.buffers.items():
        assert_allclose(both.buffers[name][1], values[0], rtol=1e-6)


def test_counts_of_weights():
    # AdaTime's encoder of HAR and of series with three channels, and of Sleep-EDF (without
    # statistics).
    def encoder(model):
        return sum(np.prod(s) for n, s in model.shapes.items() if not n.startswith("head."))

    assert encoder(CNN(9, 6, 128)) == 200_128
    assert encoder(CNN(3, 6, 128)) == 198_208
    assert encoder(SleepCNN(1, 5, 3000)) == 83_168
    assert CNN(9, 6, 128).multiply_adds() == pytest.approx(9.3e6, rel=0.02)


def test_amplitudes_of_a_cosine():
    t = torch.arange(16)
    x = torch.stack([3 * torch.cos(2 * torch.pi * 4 * t / 16), torch.ones(16)], -1)
    found = spectrum(x)
    assert found.shape == (9, 2)
    wanted = torch.zeros(9, 2)
    wanted[4, 0], wanted[0, 1] = 1.5, 1.0  # 3 / 2 at the frequency 4, the mean at 0
    assert_allclose(found, wanted, atol=1e-6)
    assert spectrum(x, "full").shape == (16, 2)
    assert_allclose(spectrum(x, "full")[[4, 12], 0], [1.5, 1.5], rtol=1e-5)
    assert_allclose(spectrum(x, "log")[4, 0], np.log1p(24), rtol=1e-6)


def test_views_have_encoders_of_their_own():
    base = CNN(2, 3, 32, **SMALL)
    model = TwoViews(base, hidden=6, projected=4)
    theta = model.init(torch.Generator().manual_seed(0))[None]
    assert theta.shape == (1, model.n_parameters)
    x = torch.randn(1, 5, 32, 2)
    in_time, in_frequency = model.encode_views(theta, x)
    # The time view begins as the architecture itself does.
    alone = base.init(torch.Generator().manual_seed(0))[None]
    assert torch.equal(in_time, base.encode(alone, x))
    changed = theta.clone()
    changed[:, model.part("frequency.conv1")] += 1
    again = model.encode_views(changed, x)
    assert torch.equal(again[0], in_time)
    assert not torch.equal(again[1], in_frequency)
    shared, personal = model.project(theta, "time", in_time)
    assert_allclose(shared.norm(dim=-1), 1, rtol=1e-5)
    assert_allclose(personal.norm(dim=-1), 1, rtol=1e-5)
    only = TwoViews(base, ("time",), hidden=6, projected=4)
    assert only.n_features == 5
    assert model.multiply_adds() > 1.9 * only.multiply_adds() - base.multiply_adds() > 0


def test_two_heads_share_features():
    base = CNN(2, 3, 32, **SMALL)
    model = TwoHeads(base)
    theta = model.init(torch.Generator().manual_seed(0))[None]
    alone = base.init(torch.Generator().manual_seed(0))[None]
    x = torch.randn(1, 5, 32, 2)
    h = model.encode(theta, x)
    assert torch.equal(h, base.encode(alone, x))
    assert torch.equal(model.head(theta, h), base.head(alone, h))
    assert torch.equal(model.personal(theta, h), model.head(theta, h))  # they begin alike
    assert torch.equal(model.forward(theta, x), 2 * model.head(theta, h))
