"""The supervised architectures: their contract, torch's own layers, their costs.

The contract is that of every architecture, a user's in own/models/architectures/ too.
"""

import pickle
from dataclasses import replace
from math import isfinite, pi, prod, sqrt

import numpy as np
import pytest
import torch
from small_models import SmallNet
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data
from fedreact.losses.supervised import SupervisedLoss
from fedreact.models.architectures.causal_cnn import CausalCNNClassifier
from fedreact.models.architectures.lstm import LSTMClassifier
from fedreact.models.architectures.patchtst import PatchTST
from fedreact.models.architectures.timesnet import TimesNet
from fedreact.models.layers import Training
from fedreact.models.positions import sinusoids
from fedreact.studies.costs import flops

NAMES = plugins.names("models/architectures", "ARCHITECTURE")
PUBLISHED = {"lstm": 398_346, "timesnet": 89_130, "patchtst": 131_050, "causal-cnn": 156_590}

SMALL = {
    "lstm": LSTMClassifier(in_channels=2, n_out=3, length=20, embedding=4, hidden=5),
    "patchtst": PatchTST(2, 3, 20, width=8, feed_forward=6, layers=2, heads=2),
    "patchtst-batch": PatchTST(2, 3, 20, 8, 6, layers=2, heads=2, final_norm="batch"),
    "patchtst-overlap": PatchTST(2, 3, 21, 8, 6, layers=1, heads=4, patch=6, stride=4),
    "timesnet": TimesNet(2, 3, 20, width=4, feed_forward=6, layers=2),
    "timesnet-v1": TimesNet(2, 3, 20, 4, 6, layers=2, n_kernels=3, inception=1, top_k=3),
    "timesnet-v2": TimesNet(2, 3, 21, 4, 6, layers=2, n_kernels=5, inception=2, top_k=2),
    "causal-cnn": CausalCNNClassifier(2, 3, 20),
}


def weights(architecture, n=1, seed=0, dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    return torch.stack([architecture.init(generator) for _ in range(n)]).to(dtype)


def series(architecture, *shape, seed=0, dtype=torch.float64):
    """Noise on a wave, so that the strongest periods are clear."""
    generator = torch.Generator().manual_seed(seed)
    shape = (*shape, architecture.length, architecture.in_channels)
    phase = torch.rand(*shape[:-2], 1, 1, generator=generator) * 2 * pi
    time = torch.arange(shape[-2])[:, None] / shape[-2] * 2 * pi
    wave = torch.sin(3 * time + phase)
    return (wave + torch.randn(shape, generator=generator)).to(dtype)


class PlainLSTM(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.embedding = nn.Linear(a.in_channels, a.embedding)
        self.lstm = nn.LSTM(a.embedding, a.hidden, batch_first=True)
        self.head = nn.Linear(a.hidden, a.n_out)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0][:, -1])

    @staticmethod
    def name(ours):
        return ours + "_l0" if ours.startswith("lstm") else ours


class PlainPatchTST(nn.Module):
    """One series and channel after the other."""

    def __init__(self, a):
        super().__init__()
        self.a = a
        self.patch = nn.Linear(a.patch, a.width, bias=False)
        layer = nn.TransformerEncoderLayer(
            a.width, a.heads, a.feed_forward, 0.0, "gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, a.layers, enable_nested_tensor=False)
        norm = nn.LayerNorm if a.final_norm == "layer" else nn.BatchNorm1d
        self.norm = norm(a.width)
        self.head = nn.Linear(a.in_channels * a.n_patches * a.width, a.n_out)

    def forward(self, x):
        a, rows = self.a, []
        for one in x:
            for c in range(a.in_channels):
                v = one[:, c]
                v = (v - v.mean()) / torch.sqrt(v.var(correction=0) + 1e-5)
                v = torch.cat([v, v[-1].repeat(a.stride)])
                starts = range(0, len(v) - a.patch + 1, a.stride)
                rows.append(torch.stack([v[s : s + a.patch] for s in starts]))
        h = self.patch(torch.stack(rows))
        h = self.encoder(h + sinusoids(h.shape[1], a.width, h.dtype, h.device))
        h = self.norm(h.flatten(0, 1)).view_as(h)
        return self.head(h.reshape(len(x), -1))

    @staticmethod
    def name(ours):
        number, _, rest = ours.partition(".")
        if not number.isdigit():
            return ours
        for old, new in {
            "qkv.": "self_attn.in_proj_",
            "out.": "self_attn.out_proj.",
            "ff1": "linear1",
            "ff2": "linear2",
        }.items():
            rest = rest.replace(old, new)
        return f"encoder.layers.{number}.{rest}"


class PlainTimesNet(nn.Module):
    """The paper's equations 1 to 6, with a Fourier sum written out and a picture built by index."""

    def __init__(self, a):
        super().__init__()
        self.a = a
        d, ff = a.width, a.feed_forward

        def inception(n_in, n_out):
            return nn.ModuleList(nn.Conv2d(n_in, n_out, k, padding="same") for k in a.kernels)

        self.embedding = nn.Conv1d(
            a.in_channels, d, 3, padding=1, padding_mode="circular", bias=False
        )
        self.time = nn.Linear(a.time_features, d, bias=False)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"conv1": inception(d, ff), "conv2": inception(ff, d)})
            for _ in range(a.layers)
        )
        self.norm = nn.LayerNorm(d)
        self.head = nn.Linear(a.length * d, a.n_out)

    def block(self, h, convs):
        a, T = self.a, self.a.length
        time = torch.arange(T, dtype=h.dtype)
        amplitudes = []
        for f in range(1, T // 2 + 1):
            angle = (2 * pi * f / T * time)[:, None]
            real, imaginary = (h * angle.cos()).sum(1), (h * angle.sin()).sum(1)
            amplitudes.append(torch.sqrt(real**2 + imaginary**2).mean(1))
        amplitudes = torch.stack(amplitudes, dim=1)
        strongest = amplitudes.mean(0).sort(descending=True).indices[: a.top_k]
        shares = amplitudes[:, strongest].softmax(1)
        result = h
        for j, index in enumerate(strongest.tolist()):
            period = T // (index + 1)
            picture = h.new_zeros(len(h), a.width, -(-T // period), period)
            for t in range(T):
                picture[:, :, t // period, t % period] = h[:, t]
            y = torch.stack([conv(picture) for conv in convs["conv1"]]).mean(0)
            y = torch.stack([conv(F.gelu(y)) for conv in convs["conv2"]]).mean(0)
            y = torch.stack([y[:, :, t // period, t % period] for t in range(T)], dim=1)
            result = result + shares[:, j, None, None] * y
        return result

    def forward(self, x):
        h = self.embedding(x.mT).mT
        h = h + sinusoids(self.a.length, self.a.width, h.dtype, h.device)
        for convs in self.blocks:
            h = self.norm(self.block(h, convs))
        return self.head(F.gelu(h).flatten(1))

    @staticmethod
    def name(ours):
        return "blocks." + ours if ours[0].isdigit() else ours


def reference(architecture, theta):
    """A module with the weights ``theta [P]``."""
    kinds = {LSTMClassifier: PlainLSTM, PatchTST: PlainPatchTST, TimesNet: PlainTimesNet}
    module = kinds[type(architecture)](architecture).to(theta.dtype)
    named = {module.name(n): v[0] for n, v in architecture.unpack(theta[None]).items()}
    module.load_state_dict(named, strict=architecture.__dict__.get("final_norm") != "batch")
    return module


def made(name, in_channels, length, n_out):
    """An architecture by its file's name; ``small`` is the tests' own, with buffers."""
    kind = (
        SmallNet if name == "small" else plugins.load("models/architectures", name, "ARCHITECTURE")
    )
    return kind(in_channels=in_channels, length=length, n_out=n_out)


def accepted(name, in_channels, length, n_out):
    """An architecture of such series; of square images with as many colours, if it refuses them."""
    try:
        return made(name, in_channels, length, n_out)
    except UserError:
        return made(name, in_channels * length, length, n_out)


def test_the_architectures_of_table_12_are_found_by_name():
    assert set(PUBLISHED) <= set(NAMES)
    assert "contract" not in NAMES


# --- The contract


@pytest.fixture(params=[*NAMES, "small"])
def make(request):
    return lambda *shape: accepted(request.param, *shape)


def test_weights_are_a_flat_vector_that_follows_from_the_generator(make):
    architecture = make(3, 40, 4)
    first, second = (architecture.init(torch.Generator().manual_seed(3)) for _ in range(2))
    assert first.shape == (architecture.n_parameters,)
    assert first.dtype == torch.float32
    assert torch.equal(first, second)
    assert not torch.equal(first, architecture.init(torch.Generator().manual_seed(4)))
    n = sum(prod(shape) for shape in architecture.shapes.values())
    assert n + architecture.n_buffers == architecture.n_parameters
    assert architecture.in_channels in (3, 3 * 40)
    assert (architecture.length, architecture.n_out) == (40, 4)


def test_eight_channels_one_output_and_a_length_that_no_patch_divides(make):
    architecture = make(8, 37, 1)
    theta = weights(architecture, 2, dtype=torch.float32)
    x = series(architecture, 2, 4, dtype=torch.float32)
    output = architecture.forward(theta, x)
    assert output.shape == (2, 4, 1)
    assert output.isfinite().all()
    alone = architecture.forward(theta[:1], x[:1])[0]
    torch.testing.assert_close(output[0], alone, rtol=1e-4, atol=1e-5)


def in_training(architecture, seeds, batch):
    """What ``forward`` takes besides, in a training step of some clients."""
    if not architecture.trains_otherwise:
        return ()
    return (Training(seeds, torch.ones(len(seeds), batch, dtype=torch.bool)),)


def test_clients_together_are_clients_one_by_one(make):
    architecture = make(3, 40, 4)
    theta = weights(architecture, 3).requires_grad_()
    x = series(architecture, 3, 5)
    training = in_training(architecture, [1, 2, 3], 5)
    together = architecture.forward(theta, x, *training)
    (gradient,) = torch.autograd.grad(together.square().sum(), theta)
    for k in range(3):
        own = in_training(architecture, [k + 1], 5)
        one = theta[k : k + 1].detach().requires_grad_()
        alone = architecture.forward(one, x[k : k + 1], *own)
        torch.testing.assert_close(together[k], alone[0])
        (expected,) = torch.autograd.grad(alone.square().sum(), one)
        torch.testing.assert_close(gradient[k], expected[0])
        for a, b in zip(training, own):
            for name, value in b.buffers.items():
                torch.testing.assert_close(a.buffers[name][k], value[0])


def test_running_statistics_are_those_that_are_declared(make):
    architecture = make(3, 40, 4)
    training = in_training(architecture, [1, 2], 5)
    architecture.forward(weights(architecture, 2), series(architecture, 2, 5), *training)
    found = {n: v.shape[1:] for step in training for n, v in step.buffers.items()}
    assert found == (architecture.buffers if architecture.n_buffers else {})
    assert sum(map(prod, found.values())) == architecture.n_buffers


def test_outside_training_a_call_repeats_itself(make):
    architecture = make(3, 40, 4)
    theta, x = weights(architecture, 2), series(architecture, 2, 5)
    assert torch.equal(architecture.forward(theta, x), architecture.forward(theta, x))


@pytest.mark.parametrize("kind", ["classification", "multi-label", "regression"])
def test_gradient_steps_lower_the_loss(make, kind):
    architecture = make(2, 24, 3)
    rng = np.random.default_rng(0)
    X = series(architecture, 12, dtype=torch.float32)
    y = {
        "classification": rng.integers(0, 3, 12),
        "multi-label": rng.random((12, 3)) < 0.5,
        "regression": rng.normal(size=(12, 3)).astype(np.float32),
    }[kind]
    loss = SupervisedLoss(architecture, kind)
    draws = [loss.draw(rng, np.arange(12), 24, batch_size=12, steps=1)]
    theta = loss.init(torch.Generator().manual_seed(0))[None].requires_grad_()
    optimizer = torch.optim.Adam([theta], lr=1e-3)
    values = []
    for _ in range(10):
        optimizer.zero_grad()
        value, _ = loss.value(theta, Data(X, torch.from_numpy(y)), draws, 0)
        values.append(value.item())
        value.sum().backward()
        assert theta.grad.isfinite().all()
        optimizer.step()
    assert values[-1] < values[0]


def test_another_process_gets_the_same_model_and_a_checkpoint_knows_it(make):
    architecture = make(3, 40, 4)
    assert repr(pickle.loads(pickle.dumps(architecture))) == repr(architecture)
    assert " at 0x" not in repr(architecture)
    assert repr(make(3, 40, 5)) != repr(architecture)


def test_multiply_adds_are_counted(make):
    count = make(3, 40, 4).multiply_adds()
    assert isfinite(count)
    assert count > 0
    for more in ((4, 40, 4), (3, 80, 4), (3, 40, 8)):
        assert make(*more).multiply_adds() >= count
    assert flops(make(3, 40, 4)) == 2 * count
    assert SupervisedLoss(make(3, 40, 4)).multiply_adds(40) == count


# --- The project's architectures


@pytest.mark.parametrize(("name", "count"), PUBLISHED.items())
def test_parameter_counts_are_those_of_table_12(name, count):
    architecture = made(name, 3, 100, 10)
    assert architecture.n_parameters == count
    assert architecture.init(torch.Generator()).shape == (count,)


def test_the_other_timesnet_has_as_many_parameters():
    assert TimesNet(width=40, feed_forward=12, inception=1).n_parameters == 89_130


@pytest.mark.parametrize("name", SMALL)
def test_stacked_clients_equal_each_alone(name):
    architecture = SMALL[name]
    theta, x = weights(architecture, 3).requires_grad_(), series(architecture, 3, 5)
    stacked = architecture.forward(theta, x)
    (gradient,) = torch.autograd.grad(stacked.square().sum(), theta)
    for k in range(3):
        one = theta[k : k + 1].detach().requires_grad_()
        alone = architecture.forward(one, x[k : k + 1])
        torch.testing.assert_close(stacked[k], alone[0])
        (expected,) = torch.autograd.grad(alone.square().sum(), one)
        torch.testing.assert_close(gradient[k], expected[0])


@pytest.mark.parametrize("name", [n for n in SMALL if n != "causal-cnn"])
def test_outputs_and_gradients_equal_torchs_layers(name):
    architecture = SMALL[name]
    theta, x = weights(architecture).requires_grad_(), series(architecture, 1, 6)
    module = reference(architecture, theta[0].detach())
    ours, theirs = architecture.forward(theta, x)[0], module(x[0])
    torch.testing.assert_close(ours, theirs)
    ours.square().sum().backward()
    theirs.square().sum().backward()
    gradients = architecture.unpack(theta.grad)
    named = dict(module.named_parameters())
    for weight, gradient in gradients.items():
        expected = named[module.name(weight)].grad
        if expected is None:
            assert weight == "time.weight"
            expected = torch.zeros_like(gradient[0])
        torch.testing.assert_close(gradient[0], expected, msg=lambda m, w=weight: f"{w}: {m}")


@pytest.mark.parametrize("name", SMALL)
def test_gradients_reach_every_weight_that_is_used(name):
    architecture = SMALL[name]
    theta = weights(architecture).requires_grad_()
    architecture.forward(theta, series(architecture, 1, 6)).square().sum().backward()
    still = {n for n, g in architecture.unpack(theta.grad).items() if not g.abs().sum() > 0}
    # The library's TimesNet counts a map of calendar features that its classifier never calls.
    assert still == ({"time.weight"} if isinstance(architecture, TimesNet) else set())


def test_causal_cnn_classifier_is_the_encoder_and_a_linear_layer():
    architecture = SMALL["causal-cnn"]
    theta, x = weights(architecture), series(architecture, 1, 5)
    encoder = architecture.encoder
    features = encoder.encode(theta[:, : encoder.n_parameters], x.transpose(1, 2))[0]
    w = architecture.unpack(theta)
    expected = F.linear(features, w["head.weight"][0], w["head.bias"][0])
    torch.testing.assert_close(architecture.forward(theta, x)[0], expected)


@pytest.mark.parametrize("name", ["lstm", "patchtst", "timesnet", "causal-cnn"])
def test_initial_weights_are_those_of_torchs_layers(name):
    architecture = made(name, 3, 100, 10)
    w = {
        n: v[0] for n, v in architecture.unpack(weights(architecture, dtype=torch.float32)).items()
    }
    uniform = {
        "lstm": {"embedding.weight": 3, "lstm.weight_hh": 256, "lstm.bias_ih": 256},
        "patchtst": {"patch.weight": 8, "0.qkv.weight": 64, "0.ff2.bias": 32, "0.ff2.weight": 32},
        "timesnet": {"time.weight": 4, "head.weight": 1600},
        "causal-cnn": {"5.conv2.v": 480, "head.weight": 320, "head.bias": 320},
    }[name]
    for weight, fan_in in uniform.items():
        v, bound = w[weight], 1 / sqrt(fan_in)
        assert v.abs().max() <= bound
        assert v.std() == pytest.approx(bound / sqrt(3), rel=0.3 if v.numel() < 500 else 0.05)
    if name == "timesnet":
        fan_out = 64 * 3
        assert w["0.conv1.0.weight"].std() == pytest.approx(sqrt(2 / fan_out), rel=0.05)
        assert w["embedding.weight"].std() == pytest.approx(sqrt(2 / 9), rel=0.2)
        assert (w["0.conv1.0.bias"] == 0).all()
    if name in ("patchtst", "timesnet"):
        assert (w["norm.weight"] == 1).all()
        assert (w["norm.bias"] == 0).all()


def test_patchtst_ignores_level_and_scale_of_a_channel():
    architecture = SMALL["patchtst"]
    theta, x = weights(architecture), series(architecture, 1, 4)
    moved = x * torch.tensor([100.0, 3.0]) + torch.tensor([-7.0, 50.0])
    output = architecture.forward(theta, x)
    torch.testing.assert_close(architecture.forward(theta, moved), output, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", ["lstm", "patchtst", "causal-cnn"])
def test_a_series_is_classified_the_same_in_any_batch(name):
    architecture = SMALL[name]
    theta, x = weights(architecture), series(architecture, 1, 6)
    output = architecture.forward(theta, x)
    torch.testing.assert_close(architecture.forward(theta, x[:, 2:3]), output[:, 2:3])


def test_flops_of_the_lstm_by_hand():
    step = 3 * 128 + 4 * 256 * 128 + 4 * 256 * 256
    assert flops(LSTMClassifier()) == 2 * (100 * step + 256 * 10) == 78_725_120


def test_flops_of_the_causal_cnn_by_hand_and_as_torch_counts_conv1d():
    step = 3 * 3 * 20 + 3 * 20 * 20 + 3 * 20
    step += 4 * 2 * 3 * 20 * 20
    step += 3 * 20 * 160 + 3 * 160 * 160 + 20 * 160
    architecture = CausalCNNClassifier()
    assert flops(architecture) == 2 * (100 * step + 160 * 320 + 320 * 10) == 20_236_800
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        h = torch.zeros(1, 3, 100)
        for n_in, n_out, dilation in architecture.encoder.blocks:
            y = h
            for width in (n_in, n_out):
                padded = F.pad(y, (2 * dilation, 0))
                y = F.conv1d(padded, torch.zeros(n_out, width, 3), dilation=dilation)
            if n_in != n_out:
                F.conv1d(h, torch.zeros(n_out, n_in, 1))
            h = y
        F.linear(F.linear(h.amax(2), torch.zeros(320, 160)), torch.zeros(10, 320))
    assert counter.get_total_flops() == flops(architecture)


def test_flops_of_patchtst_as_torch_counts_them():
    architecture = PatchTST()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        architecture.forward(torch.zeros(1, architecture.n_parameters), torch.zeros(1, 1, 100, 3))
    # torch does not count the fused attention of the CPU: two products of 13 x 13 x 64.
    attention = 2 * 3 * 5 * 2 * 13 * 13 * 64
    assert flops(architecture) in (counter.get_total_flops() + attention, counter.get_total_flops())
    one_channels_layers = 2 * 5 * 13 * (4 * 64 * 64 + 2 * 64 * 32)
    assert one_channels_layers == 2_662_400  # as published


def test_flops_of_timesnet_as_torch_counts_them_where_periods_divide_the_length():
    architecture = TimesNet()
    module = reference(architecture, torch.zeros(architecture.n_parameters))
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        module(torch.zeros(1, 100, 3))
    assert counter.get_total_flops() == flops(architecture)


def test_operations_of_a_model_that_does_not_count_them_are_not_guessed():
    with pytest.raises(AttributeError, match="multiply_adds"):
        flops(object())
    assert np.isnan(ContrastiveLoss(object()).multiply_adds(100))


def test_flops_of_an_anchor_by_hand():
    class Steps:
        """An encoder that takes a multiply-add a step."""

        def multiply_adds(self, length):
            return length

    # 1 to 9 steps are 5 in the mean; an anchor has 7, a positive and each of 3 negatives 5.
    assert ContrastiveLoss(Steps(), n_negatives=3).multiply_adds(9) == 7 + 4 * 5


@pytest.mark.parametrize("name", ["patchtst", "timesnet"])
def test_another_length_is_an_error(name):
    architecture = SMALL[name]
    x = series(replace(architecture, length=19), 1, 2)
    with pytest.raises(UserError, match="20 steps and 2 channels, got 19 and 2"):
        architecture.forward(weights(architecture), x)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (PatchTST, {"final_norm": "instance"}),
        (PatchTST, {"heads": 7}),
        (PatchTST, {"length": 3, "stride": 2}),
        (TimesNet, {"inception": 3}),
        (TimesNet, {"top_k": 0}),
        (TimesNet, {"length": 5, "top_k": 3}),
    ],
)
def test_wrong_settings_are_errors(kind, wrong):
    with pytest.raises(UserError, match=kind.__name__):
        kind(**wrong)
