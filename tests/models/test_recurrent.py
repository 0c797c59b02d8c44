"""LSTM layers, forward and backward by hand."""

import itertools

import pytest
import torch
from helpers import slowly

from fedreact.models.parts import LSTM, Conv, Dense, count
from fedreact.models.passing import Pass, first_weights, unpack
from fedreact.models.recurrent import lstm

K, B, T, C, H = 3, 4, 6, 5, 7


def drawn(*shape, dtype=torch.float64):
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator, dtype=dtype).requires_grad_()


@pytest.fixture
def given():
    return drawn(K, B, T, C), drawn(K, 4 * H, C), drawn(K, 4 * H, H), drawn(K, 4 * H)


def test_it_is_torchs_lstm_of_each_client(given):
    found = lstm(*given)
    (found**2).sum().backward()
    mine = [w.grad.clone() for w in given]
    for k in range(K):
        one = torch.nn.LSTM(C, H, batch_first=True).double()
        x, *weights = (w[k].detach() for w in given)
        with torch.no_grad():
            for name, w in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0"), weights):
                getattr(one, name).copy_(w)
            one.bias_hh_l0.zero_()
        x.requires_grad_()
        wanted, _ = one(x)
        (wanted**2).sum().backward()
        torch.testing.assert_close(found[k], wanted)
        theirs = [x.grad, one.weight_ih_l0.grad, one.weight_hh_l0.grad, one.bias_ih_l0.grad]
        for a, b in zip(mine, theirs, strict=True):
            torch.testing.assert_close(a[k], b)


@pytest.mark.parametrize(
    "which",
    slowly({f"{one}": one for one in itertools.product([False, True], repeat=2)}, "(True, True)"),
)
def test_its_gradients_are_those_of_small_differences(given, which):
    drops, rectified = which
    kept = (drawn(K, B, H).detach() > 0).double() * 1.5 if drops else None
    assert torch.autograd.gradcheck(lambda *of: lstm(*of, kept, rectified), given, atol=1e-5)


def test_states_that_are_dropped_do_not_reach_the_next_step(given):
    x, into, recurrent, bias = given
    nothing = lstm(x, into, recurrent, bias, torch.zeros(K, B, H, dtype=x.dtype))
    other = lstm(x, into, 0 * recurrent, bias)
    torch.testing.assert_close(nothing, other)


# ---- Layers by name -----------------------------------------------------------------------------

LAYERS = {"conv": Conv(C, 4, 3), "lstm": LSTM(4, H), "out": Dense(H, 2)}


def pass_(generators=None, **how):
    theta = torch.stack([first_weights(LAYERS, torch.Generator().manual_seed(k)) for k in range(K)])
    return Pass(theta, LAYERS, generators, **how)


def test_a_convolution_is_torchs():
    p, x = pass_(), drawn(K, B, T, C, dtype=torch.float32).detach()
    found = p.conv("conv", x)
    for k in range(K):
        weight = p.w["conv.weight"][k].view(4, 3, C).transpose(1, 2)
        wanted = torch.nn.functional.conv1d(x[k].mT, weight, p.w["conv.bias"][k]).mT
        torch.testing.assert_close(found[k], wanted)


def test_multiply_adds_are_counted_of_one_client():
    p, x = pass_(), torch.zeros(K, B, T, C)
    p.dense("out", p.lstm("lstm", p.conv("conv", x))[:, :, -1])
    steps = T - 2
    wanted = B * (steps * 4 * 3 * C + steps * 4 * H * (4 + H) + H * 2)
    assert p.multiply_adds == wanted


def test_first_weights_are_as_keras_draws_them():
    w = unpack(first_weights(LAYERS, torch.Generator().manual_seed(0))[None], LAYERS)
    assert count(LAYERS) == sum(of.numel() for of in w.values())
    recurrent = w["lstm.recurrent"][0]
    torch.testing.assert_close(recurrent.mT @ recurrent, torch.eye(H))
    assert w["lstm.bias"][0].view(4, H).mean(1).tolist() == [0, 1, 0, 0]
    limit = (6 / (3 * C + 3 * 4)) ** 0.5
    assert limit > w["conv.weight"].abs().max() > 0.9 * limit


def test_clients_draw_their_own_dropout_whoever_is_beside_them():
    x = drawn(K, B, T, C, dtype=torch.float32).detach()

    def found(of):
        generators = [torch.Generator().manual_seed(k) for k in of]
        p = pass_([*generators], dropout=0.5, recurrent_dropout=0.5)
        p.w = {name: w[of] for name, w in p.w.items()}
        return p.lstm("lstm", p.conv("conv", x[of]))

    both, alone = found([0, 2]), found([2])
    torch.testing.assert_close(both[1], alone[0])
    assert not torch.allclose(found([0]), pass_().lstm("lstm", pass_().conv("conv", x))[:1])
