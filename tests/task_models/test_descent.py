"""Local training of all clients at once, against plain loops, autograd and the exact fits."""

import numpy as np
import pytest
import torch

from fedreact.errors import UserError
from fedreact.task_models.descent import LocalClients, largest_eigenvalue
from fedreact.task_models.svm import fit_linear_svm

K, M, D, CLASSES, C = 4, 12, 5, 3, 0.7


@pytest.fixture(params=["squared_hinge", "hinge"])
def loss(request):
    return request.param


def samples(seed=0):
    """Clients of 12, 7 and 1 samples, and one that has a single class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(K, M, D)).astype(np.float32)
    y = rng.integers(0, CLASSES, (K, M))
    y[3] = 1
    valid = np.arange(M) < np.array([[M], [7], [1], [M]])
    X[~valid] = 1e3  # must not count
    return X, y, valid


def models(n, seed=1):
    return np.random.default_rng(seed).normal(size=(n, CLASSES * (D + 1))).astype(np.float32)


def plain(X, y, valid):
    """One client's samples with the constant, and targets -1 and +1, in float64."""
    X = np.hstack([X[valid], np.ones((valid.sum(), 1))]).astype(float)
    return X, np.where(y[valid][:, None] == np.arange(CLASSES), 1.0, -1.0)


def objective(w, X, Y, loss):
    v = torch.clamp(1 - Y * (X @ w.T), min=0)
    return (w**2).sum() / 2 + C * (v if loss == "hinge" else v**2).sum()


def curvature(X):
    return 1 + 2 * C * np.linalg.eigvalsh(X @ X.T).max()


def test_training_is_gradient_descent_on_each_client(loss):
    X, y, valid = samples()
    start, rate, steps = models(K), 0.8, 7
    expected = start.reshape(K, CLASSES, D + 1).astype(float)
    for k in range(K):
        Xk, Yk = plain(X[k], y[k], valid[k])
        eta = rate / curvature(Xk)
        for _ in range(steps):
            v = 1 - Yk * (Xk @ expected[k].T)
            pull = (v > 0) * Yk if loss == "hinge" else 2 * np.maximum(v, 0) * Yk
            expected[k] -= eta * (expected[k] - C * pull.T @ Xk)
    trained = LocalClients(X, y, CLASSES, C, loss, valid).train(start, rate, steps)
    assert trained.dtype == np.float32
    # The step is not 1/L exactly but up to 12^(1/64) = 1.04 times smaller.
    np.testing.assert_allclose(trained, expected.reshape(K, -1), atol=0.02)


def test_a_step_is_that_of_autograd(loss):
    X, y, valid = samples()
    start = models(K)
    clients = LocalClients(X, y, CLASSES, C, loss, valid)
    trained = clients.train(start, 0.5, 1)
    for k in range(K):
        Xk, Yk = map(torch.tensor, plain(X[k], y[k], valid[k]))
        w = torch.tensor(start[k].reshape(CLASSES, -1).astype(float), requires_grad=True)
        objective(w, Xk, Yk, loss).backward()
        step = (start - trained)[k].reshape(w.shape)
        eta = 0.5 / (1 + 2 * C * largest_eigenvalue(Xk.numpy() @ Xk.numpy().T[None])[0])
        np.testing.assert_allclose(step, eta * w.grad.numpy(), rtol=1e-3, atol=1e-5)


def test_many_steps_reach_the_exact_fit():
    X, y, valid = samples()
    exact = fit_linear_svm(X, y, CLASSES, C, valid=valid).reshape(K, -1)
    trained = LocalClients(X, y, CLASSES, C, valid=valid).train(models(K), 1.0, 2000)
    np.testing.assert_allclose(trained, exact, atol=1e-3)


@pytest.mark.parametrize("rate", [0.1, 1.0, 1.9])
def test_squared_hinge_decreases_in_every_step_below_rate_2(rate):
    X, y, valid = samples()
    X *= 30  # whatever the features
    clients, w = LocalClients(X, y, CLASSES, C, valid=valid), models(K)
    for _ in range(10):
        new = clients.train(w, rate, 1)
        for k in range(K):
            Xk, Yk = map(torch.tensor, plain(X[k], y[k], valid[k]))
            before, after = (
                objective(torch.tensor(p[k].reshape(CLASSES, -1).astype(float)), Xk, Yk, "squared")
                for p in (w, new)
            )
            assert after <= before * (1 + 1e-6)
        w = new


def test_steps_add_up(loss):
    X, y, valid = samples()
    clients = LocalClients(X, y, CLASSES, C, loss, valid)
    w = models(K)
    once = clients.train(clients.train(w, 0.3, 2), 0.3, 3)
    np.testing.assert_allclose(once, clients.train(w, 0.3, 5), rtol=1e-4, atol=1e-5)


def test_losses_are_means_over_samples_of_sums_over_classes(loss):
    X, y, valid = samples()
    many = models(5)
    found = LocalClients(X, y, CLASSES, C, loss, valid).losses(many)
    assert found.shape == (K, 5)
    for k in range(K):
        Xk, Yk = plain(X[k], y[k], valid[k])
        for j, w in enumerate(many):
            v = np.maximum(0, 1 - Yk * (Xk @ w.reshape(CLASSES, -1).T))
            expected = (v if loss == "hinge" else v**2).sum(1).mean()
            assert found[k, j] == pytest.approx(expected, rel=1e-4)


def test_several_labels_are_trained_as_one_vs_rest_each(loss):
    X, _, valid = samples()
    y = np.random.default_rng(4).random((K, M, CLASSES)) < 0.4
    start = models(K).reshape(K, CLASSES, D + 1)
    together = LocalClients(X, y, CLASSES, C, loss, valid)
    trained = together.train(start.reshape(K, -1), 0.5, 5).reshape(start.shape)
    total = np.zeros((K, K))
    for label in range(CLASSES):
        # One label of two: the other's model is its mirror image.
        two = np.stack([start[:, label], -start[:, label]], 1).reshape(K, -1)
        alone = LocalClients(X, (~y[..., label]).astype(int), 2, C, loss, valid)
        expected = alone.train(two, 0.5, 5).reshape(K, 2, D + 1)[:, 0]
        np.testing.assert_allclose(trained[:, label], expected, rtol=1e-5, atol=1e-6)
        total += alone.losses(two) / 2
    np.testing.assert_allclose(together.losses(start.reshape(K, -1)), total, rtol=1e-5)


def test_a_client_without_samples_gives_finite_numbers():
    X, y, valid = samples()
    valid[0] = False
    clients = LocalClients(X, y, CLASSES, C, valid=valid)
    assert np.isfinite(clients.losses(models(2))).all()
    assert np.isfinite(clients.train(models(K), 1.0, 3)).all()


def test_largest_eigenvalue_is_bounded_from_above_and_closely():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6, 20, 9)) * np.array([0, 1e-6, 1, 1, 1e3, 1e6])[:, None, None]
    X[3] = np.eye(20)[:, :9]  # equal eigenvalues: the worst case
    exact = np.linalg.eigvalsh(X @ X.mT)[:, -1]
    found = largest_eigenvalue((X @ X.mT).astype(np.float32))
    assert (found >= exact * (1 - 1e-5)).all()
    assert (found <= exact * 20 ** (1 / 64) * (1 + 1e-5) + 1e-30).all()


def test_the_same_training_is_done_once_and_any_other_anew():
    X, y, _ = samples()
    clients, start = LocalClients(X, y, CLASSES), models(K)
    trained = clients.train(start, 0.5, 3)
    assert clients.train(start.copy(), 0.5, 3) is trained
    with pytest.raises(ValueError, match="read-only"):
        trained[0] = 0
    for other in ((start, 0.5, 4), (start, 0.6, 3), (start + 1, 0.5, 3)):
        np.testing.assert_array_equal(
            clients.train(*other), LocalClients(X, y, CLASSES).train(*other)
        )
    start += 1  # what was asked is kept as it was
    np.testing.assert_array_equal(
        clients.train(start, 0.5, 3), LocalClients(X, y, CLASSES).train(start, 0.5, 3)
    )


def test_nothing_is_computed_before_it_is_asked_for():
    LocalClients(None, np.zeros((1, 1), int), CLASSES)


@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: LocalClients(X, y, CLASSES, loss="logistic"),
        lambda X, y: LocalClients(X, y, CLASSES, C=0),
        lambda X, y: LocalClients(X, y, CLASSES).train(models(K), 0.0, 1),
        lambda X, y: LocalClients(X, y, CLASSES).train(models(K), np.nan, 1),
        lambda X, y: LocalClients(X, y, CLASSES).train(models(K), 1.0, 0),
    ],
)
def test_wrong_settings_are_told(call):
    X, y, _ = samples()
    with pytest.raises(UserError):
        call(X, y)
