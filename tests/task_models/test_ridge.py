"""Linear regressors of all clients, against scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from fedreact.errors import UserError
from fedreact.task_models import ridge
from fedreact.task_models.ridge import fit_ridge, fit_ridge_cv


def problem(K=4, m=30, D=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(2, 3, size=(K, m, D)).astype(np.float32)
    y = (X @ rng.normal(size=(K, D, 1)))[..., 0] + rng.normal(5, 1, size=(K, m))
    return X, y


def test_by_hand():
    # x = -1, 1 and y = 0, 4: the mean is 2, the slope sum(xy) / (sum(x^2) + penalty) = 4 / (2 + 2).
    w = fit_ridge(np.array([[[-1.0], [1.0]]]), np.array([[0.0, 4.0]]), penalty=2)
    np.testing.assert_allclose(w, [[[1, 2]]], rtol=1e-6)


@pytest.mark.parametrize(("m", "D"), [(30, 6), (5, 40)])
@pytest.mark.parametrize("penalty", [1e-3, 1.0, 100.0])
def test_parity_with_scikit_learn(m, D, penalty):
    X, y = problem(m=m, D=D)
    weights = fit_ridge(X, y, penalty)
    for k in range(len(X)):
        fit = Ridge(alpha=penalty).fit(X[k].astype(float), y[k])
        np.testing.assert_allclose(weights[k, 0, :-1], fit.coef_, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(weights[k, 0, -1], fit.intercept_, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(("m", "D"), [(30, 6), (5, 40)])
@pytest.mark.parametrize("penalty", [1e-3, 1.0, 100.0])
def test_parity_with_scikit_learn_for_several_targets(m, D, penalty):
    X, first = problem(m=m, D=D)
    y = np.stack([first, 3 - first**2 / 50, np.sin(first)], axis=2)
    weights = fit_ridge(X, y, penalty)
    assert weights.shape == (4, 3, D + 1)
    for k in range(len(X)):
        fit = Ridge(alpha=penalty).fit(X[k].astype(float), y[k])
        np.testing.assert_allclose(weights[k, :, :-1], fit.coef_, rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(weights[k, :, -1], fit.intercept_, rtol=2e-4, atol=2e-4)


def test_several_targets_are_each_target_alone():
    X, first = problem()
    y, valid = (
        np.stack([first, np.cos(first)], axis=2),
        np.arange(30) < np.array([[30], [7], [12], [1]]),
    )
    y[~valid] = 1e6
    together = fit_ridge(X, y, 0.5, valid)
    for target in range(2):
        alone = fit_ridge(X, y[..., target], 0.5, valid)
        np.testing.assert_allclose(together[:, [target]], alone, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(fit_ridge(X, first[..., None]), fit_ridge(X, first))


@pytest.mark.parametrize("noise", [0.1, 30.0])
def test_the_penalty_of_a_client_has_its_smallest_error_without_a_sample(noise):
    """Each sample is left out, and the errors of the penalties are added up by hand."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2, 12, 20))
    y = 10 * X[..., 0] + noise * rng.normal(size=(2, 12))
    valid = np.ones((2, 12), bool)
    valid[1, 8:] = False
    weights = fit_ridge_cv(X, y, valid)
    for k in range(2):
        Xk, yk = X[k][valid[k]], y[k][valid[k]]
        errors = {}
        for penalty in ridge.PENALTIES:
            left = [np.arange(len(Xk)) != i for i in range(len(Xk))]
            fits = [Ridge(alpha=penalty).fit(Xk[others], yk[others]) for others in left]
            errors[penalty] = sum(
                (fit.predict(x[None])[0] - t) ** 2 for fit, x, t in zip(fits, Xk, yk)
            )
        best = fit_ridge(X[k][None], y[k][None], min(errors, key=errors.get), valid[k][None])
        np.testing.assert_allclose(weights[k], best[0], rtol=1e-4, atol=1e-5)


def test_a_client_with_few_samples_gets_their_mean():
    X, y = np.ones((2, 4, 3)), np.arange(8.0).reshape(2, 4)
    valid = np.array([[True, True, False, False], [False] * 4])
    assert fit_ridge_cv(X, y, valid)[:, 0].tolist() == [[0, 0, 0, 0.5], [0, 0, 0, 0]]


def test_a_client_without_samples_gets_zeros():
    X, y = problem()
    weights = fit_ridge(X, y, 1.0, np.ones((4, 30), bool) & (np.arange(4) != 2)[:, None])
    assert not weights[2].any()
    assert weights[[0, 1, 3]].any(axis=(1, 2)).all()


def test_invalid_samples_do_not_count_and_blocks_do_not_matter(monkeypatch):
    X, y = problem()
    valid = np.arange(30) < np.array([[30], [7], [12], [1]])
    weights = fit_ridge(X, y, 1.0, valid)
    for k, n in enumerate([30, 7, 12, 1]):
        alone = fit_ridge(X[k : k + 1, :n], y[k : k + 1, :n])
        np.testing.assert_allclose(weights[k], alone[0], rtol=1e-4, atol=1e-5)
    monkeypatch.setattr(ridge, "BLOCK", 1)
    np.testing.assert_array_equal(fit_ridge(X, y, 1.0, valid), weights)


def test_a_huge_penalty_leaves_the_mean():
    X, y = problem()
    weights = fit_ridge(X, y, penalty=1e12)
    np.testing.assert_allclose(weights[:, 0, -1], y.mean(1), rtol=1e-5)
    assert np.abs(weights[:, 0, :-1]).max() < 1e-6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"penalty": 0.0}, "penalty is 0.0"),
        ({"y": np.zeros((4, 3))}, "must be"),
        ({"X": np.full((4, 30, 6), np.nan)}, "NaN"),
        ({"valid": np.ones((4, 30))}, "boolean"),
    ],
)
def test_wrong_input_is_a_clear_error(changes, words):
    X, y = problem()
    with pytest.raises(UserError, match=words):
        fit_ridge(**{"X": X, "y": y} | changes)
