"""What Phase 1 relies on in an encoder: the project's, and a user's in own/models/encoders/."""

import pickle

import numpy as np
import pytest
import torch

from fedreact import plugins
from fedreact.losses.contrastive import ContrastiveLoss
from fedreact.losses.objective import Data

C, L, B = 2, 9, 3


@pytest.fixture(params=plugins.names("models/encoders", "ENCODER"))
def encoder(request):
    return plugins.load("models/encoders", request.param, "ENCODER")(C)


def weights(encoder, K=1):
    return torch.stack([encoder.init(torch.Generator().manual_seed(k)) for k in range(K)])


def series(K=1, length=L):
    return torch.randn(K, length, B, C, generator=torch.Generator().manual_seed(9))


def test_weights_are_a_flat_vector_that_follows_from_the_generator(encoder):
    first, second = (encoder.init(torch.Generator().manual_seed(3)) for _ in range(2))
    assert first.shape == (encoder.n_parameters,)
    assert first.dtype == torch.float32
    assert torch.equal(first, second)
    assert not torch.equal(first, encoder.init(torch.Generator().manual_seed(4)))
    assert sum(np.prod(shape) for shape in encoder.shapes.values()) == encoder.n_parameters


@pytest.mark.parametrize("length", [1, 2, L])
def test_features_are_finite_at_any_length(encoder, length):
    features = encoder.encode(weights(encoder), series(length=length))
    assert features.shape[:2] == (1, B)
    assert torch.isfinite(features).all()


def test_clients_together_are_clients_one_by_one(encoder):
    theta, x, lengths = weights(encoder, 3), series(3), torch.tensor([L, 4, 1])
    together = encoder.encode(theta, x, lengths)
    for k, n in enumerate(lengths):
        alone = encoder.encode(theta[k : k + 1], x[k : k + 1, :n])
        torch.testing.assert_close(together[k : k + 1], alone, rtol=1e-4, atol=1e-5)


def test_features_of_a_series_are_the_same_in_any_batch(encoder):
    theta, x = weights(encoder), series()
    alone = encoder.encode(theta, x[:, :, 1:2])
    torch.testing.assert_close(encoder.encode(theta, x)[:, 1:2], alone, rtol=1e-4, atol=1e-5)


def test_gradients_reach_every_weight(encoder):
    theta = weights(encoder).requires_grad_()
    encoder.encode(theta, series()).square().sum().backward()
    reached = [(name, bool(part.any())) for name, part in unpacked(encoder, theta.grad[0]).items()]
    assert all(found for _, found in reached), reached


def unpacked(encoder, flat):
    """Parts of flat weights by name, in the order of the encoder's shapes."""
    sizes = [int(np.prod(shape)) for shape in encoder.shapes.values()]
    return dict(zip(encoder.shapes, flat.split(sizes)))


def test_what_follows_a_clients_length_changes_nothing(encoder):
    theta, x, lengths = weights(encoder, 2), series(2), torch.tensor([5, 5])
    before = encoder.encode(theta, x, lengths)
    x[:, 5:] = 100.0
    assert torch.equal(before, encoder.encode(theta, x, lengths))


def test_gradient_steps_lower_the_loss(encoder):
    rng = np.random.default_rng(0)
    X = torch.from_numpy(rng.standard_normal((12, 20, C)).astype(np.float32).cumsum(1))
    loss = ContrastiveLoss(encoder, n_negatives=3)
    draws = [loss.draw(rng, np.arange(12), 20, batch_size=6, steps=1)]
    theta = weights(encoder).requires_grad_()
    optimizer = torch.optim.Adam([theta], lr=1e-3)
    values = []
    for _ in range(6):
        optimizer.zero_grad()
        values.append(loss.value(theta, Data(X), draws, 0)[0].sum())
        values[-1].backward()
        assert torch.isfinite(theta.grad).all()
        optimizer.step()
    assert values[-1] < values[0]


def test_another_process_gets_the_same_encoder_and_a_checkpoint_knows_it(encoder):
    assert repr(pickle.loads(pickle.dumps(encoder))) == repr(encoder)
    assert " at 0x" not in repr(encoder)
