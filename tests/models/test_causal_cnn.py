"""The encoder against a plain Conv1d formulation, and its published size."""

import numpy as np
import pytest
import torch
from conv1d_encoder import Conv1dEncoder, train_step

from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data
from fedreact.models.causal_cnn import CausalCNN
from fedreact.models.encoders import franceschi, table12

PUBLISHED = {"table12": table12.ENCODER(3), "franceschi": franceschi.ENCODER(3)}
SMALL = CausalCNN(channels=4, depth=2, reduced_size=6, out_channels=5)


def weights(encoder, n=1, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.stack([encoder.init(generator) for _ in range(n)])


def series(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_parameter_count_is_that_of_table_12():
    head_of_ten_classes = 320 * 10 + 10
    assert PUBLISHED["table12"].n_parameters == 153_380
    assert PUBLISHED["table12"].n_parameters + head_of_ten_classes == 156_590


def test_parameter_count_of_the_authors_default():
    assert PUBLISHED["franceschi"].n_parameters == 248_040


def test_initial_gain_is_the_norm_of_the_direction():
    w = SMALL.unpack(weights(SMALL))
    torch.testing.assert_close(w["0.conv1.g"][0], w["0.conv1.v"][0].flatten(1).norm(dim=1))


@pytest.mark.parametrize("encoder", [SMALL, *PUBLISHED.values()], ids=["small", *PUBLISHED])
@pytest.mark.parametrize("length", [1, 2, 17, 100])
def test_features_equal_conv1d(encoder, length):
    theta, x = weights(encoder), series(3, encoder.in_channels, length)
    ours = encoder.encode(theta, x.permute(2, 0, 1)[None])[0]
    theirs = Conv1dEncoder(encoder, theta[0])(x)
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)


def test_loss_and_gradient_equal_conv1d_in_double_precision():
    encoder = PUBLISHED["table12"]
    loss = ContrastiveLoss(encoder, n_negatives=3)
    X = series(12, 40, 3).double()
    theta = weights(encoder).double().requires_grad_()
    reference = Conv1dEncoder(encoder, theta[0])
    draws = loss.draw(np.random.default_rng(1), np.arange(12), 40, batch_size=4, steps=3)
    for step in range(3):
        value, _ = loss.value(theta, Data(X), [draws], step)
        (gradient,) = torch.autograd.grad(value.sum(), theta)
        reference.zero_grad()
        expected = train_step(reference, X.mT, draws, step, 1 / 3)
        assert value.item() == pytest.approx(expected, rel=1e-10)
        torch.testing.assert_close(gradient[0], reference.gradient(), rtol=1e-8, atol=1e-12)


def test_stacked_clients_equal_each_alone():
    theta, x = weights(SMALL, 3), series(3, 20, 5, 3)
    stacked = SMALL.encode(theta, x)
    for k in range(3):
        alone = SMALL.encode(theta[k : k + 1], x[k : k + 1])[0]
        torch.testing.assert_close(stacked[k], alone, rtol=1e-5, atol=1e-6)


def gradients(encoder, theta, x, lengths=None):
    """Of some function of the features, by the weights and the series."""
    theta, x = (of.clone().requires_grad_() for of in (theta, x))
    features = encoder.encode(theta, x, lengths)
    wanted = torch.linspace(-1, 1, features[0].numel(), dtype=x.dtype).view(features[0].shape)
    return torch.autograd.grad((features * wanted).sum(), (theta, x))


@pytest.mark.parametrize("length", [1, 7, 30])
def test_gradients_of_stacked_clients_equal_each_alone(length):
    # Alone a client's last layer leaves out rows without a maximum; stacked clients have all rows.
    theta, x = weights(SMALL, 3).double(), series(3, length, 5, 3).double()
    of_theta, of_x = gradients(SMALL, theta, x)
    for k in range(3):
        alone = gradients(SMALL, theta[k : k + 1], x[k : k + 1])
        torch.testing.assert_close((of_theta[k], of_x[k]), (alone[0][0], alone[1][0]))


@pytest.mark.parametrize("n", [1, 2])
def test_gradients_equal_differences_of_features(n):
    # A last block that does not widen has no product beside its convolutions.
    narrow = CausalCNN(in_channels=2, channels=3, depth=1, reduced_size=3, out_channels=2)
    theta, x = weights(narrow, n).double(), series(n, 6, 2, 2).double()
    assert torch.autograd.gradcheck(narrow.encode, (theta.requires_grad_(), x.requires_grad_()))


def test_steps_after_a_clients_length_have_no_gradients():
    theta, x = weights(SMALL, 2).double(), series(2, 20, 5, 3).double()
    of_theta, of_x = gradients(SMALL, theta, x, torch.tensor([7, 20]))
    assert not of_x[0, 7:].any()
    short = gradients(SMALL, theta[:1], x[:1, :7])
    torch.testing.assert_close((of_theta[0], of_x[0, :7]), (short[0][0], short[1][0]))


def test_steps_that_are_alike_share_no_gradient():
    # Of equal values the first is the maximum, as zeros behind a series are alike.
    theta, x = weights(SMALL), torch.zeros(1, 90, 1, 3)
    assert gradients(SMALL, theta, x)[1].any()
    assert not gradients(SMALL, theta, x)[1][:, 60:].any()


def test_bfloat16_comes_close():
    theta, x = weights(SMALL, 2), series(2, 20, 5, 3)
    exact = gradients(SMALL, theta, x)
    with torch.autocast("cpu", torch.bfloat16):
        features = SMALL.encode(theta, x)
        rough = gradients(SMALL, theta, x)
    assert features.dtype == torch.bfloat16
    assert rough[0].dtype == torch.float32
    for a, b in zip(exact, rough, strict=True):  # though some maxima are at other steps
        assert (a - b).norm() < 0.2 * a.norm()


def test_steps_after_a_clients_length_change_nothing():
    theta, x = weights(SMALL, 2), series(2, 20, 5, 3)
    lengths = torch.tensor([7, 20])
    features = SMALL.encode(theta, x, lengths)
    short = SMALL.encode(theta[:1], x[:1, :7])[0]
    torch.testing.assert_close(features[0], short, rtol=1e-5, atol=1e-6)
    x[0, 7:] = 1e3
    torch.testing.assert_close(SMALL.encode(theta, x, lengths), features)


def test_a_later_step_does_not_change_earlier_activations():
    # Causality: the features of a prefix are those of the whole with the rest left out.
    theta, x = weights(SMALL), series(1, 30, 1, 3)
    for length in (1, 10, 29):
        prefix = SMALL.encode(theta, x[:, :length])
        masked = SMALL.encode(theta, x, torch.tensor([length]))
        torch.testing.assert_close(prefix, masked, rtol=1e-5, atol=1e-6)
