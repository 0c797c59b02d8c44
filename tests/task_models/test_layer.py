"""Linear layers of all clients trained by Adam, against torch's."""

import numpy as np
import pytest
import torch

from fedreact.errors import UserError
from fedreact.rng import generator
from fedreact.task_models.layer import fit_layer
from fedreact.task_models.ridge import fit_ridge

rng = np.random.default_rng(0)
X = rng.normal(size=(3, 24, 4)).astype(np.float32)
Y = (X @ rng.normal(size=(3, 4, 2)) + 0.1 * rng.normal(size=(3, 24, 2))).astype(np.float32)


def torch_layer(X, y, client, epochs, batch_size, learning_rate, seed=0):
    """The same by torch's layer, loss and optimizer, one client alone."""
    layer = torch.nn.Linear(X.shape[1], y.shape[1])
    torch.nn.init.zeros_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    optimizer = torch.optim.Adam(layer.parameters(), lr=learning_rate)
    X, y = torch.from_numpy(X), torch.from_numpy(y)
    for epoch in range(epochs):
        order = generator(seed, "linear-layer", epoch, client).permutation(len(X))
        for start in range(0, len(X), batch_size):
            at = order[start : start + batch_size]
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(layer(X[at]), y[at]).backward()
            optimizer.step()
    return torch.cat([layer.weight, layer.bias[:, None]], 1).detach().numpy()


def test_it_is_torchs():
    found = fit_layer(X, Y, epochs=5, batch_size=10, learning_rate=0.05)
    for k in range(3):
        np.testing.assert_allclose(found[k], torch_layer(X[k], Y[k], k, 5, 10, 0.05), atol=2e-5)


def test_clients_with_fewer_samples_are_trained_on_theirs_alone():
    valid = np.arange(24)[::-1] < np.array([24, 7, 12])[:, None]  # the last ones
    spoilt = np.where(valid[..., None], X, np.nan).astype(np.float32)
    found = fit_layer(spoilt, Y, epochs=4, batch_size=10, learning_rate=0.05, valid=valid)
    for k, n in enumerate((24, 7, 12)):
        expected = torch_layer(X[k, -n:], Y[k, -n:], k, 4, 10, 0.05)
        np.testing.assert_allclose(found[k], expected, atol=2e-5)


def test_a_client_without_samples_gets_zeros():
    valid = np.ones((3, 24), bool)
    valid[1] = False
    found = fit_layer(X, Y, epochs=2, learning_rate=0.05, valid=valid)
    assert not found[1].any()
    assert found[0].any()


def test_trained_for_long_it_is_least_squares():
    found = fit_layer(X, Y[:, :, 0], epochs=400, batch_size=24, learning_rate=0.02)
    exact = fit_ridge(X, Y[:, :, 0], 1e-9)
    np.testing.assert_allclose(found, exact, atol=2e-3)


def test_seeds_are_other_orders():
    one, again, other = (fit_layer(X, Y, 2, 10, 0.05, seed) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("X", "y", "rate", "words"),
    [
        (X[0], Y[0], 0.1, "must be"),
        (np.where(X > 2, np.nan, X), Y, 0.1, "NaN"),
        (X, Y[:, :5], 0.1, "must be"),
        (X, Y, 1e38, "diverged"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_trained_is_one_line(X, y, rate, words):
    with pytest.raises(UserError, match=words) as caught:
        fit_layer(X, y, 3, 10, rate)
    assert "\n" not in str(caught.value)
