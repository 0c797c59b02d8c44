"""Moments of clients' samples, and ridge regressions that follow from them."""

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.preprocessing import StandardScaler

from fedreact.aggregation.moments import moments, pooled, ridge

RNG = np.random.default_rng(0)
X = RNG.normal(3, 2, size=(60, 7)) @ RNG.normal(size=(7, 7))
Y = X[:, :2] + RNG.normal(size=(60, 2))
CLIENTS = [np.arange(40), np.arange(40, 59), np.array([59])]


def test_pooled_moments_are_those_of_all_samples():
    found = reduce(pooled, [moments(X[k], Y[k]) for k in CLIENTS])
    whole = moments(X, Y)
    for name in ("n", "x", "y", "xx", "xy", "yy"):
        assert_allclose(getattr(found, name), getattr(whole, name), rtol=1e-10, atol=1e-9)


def test_the_ridge_is_scikit_learns_on_standardised_features():
    weights, intercepts = ridge(moments(X, Y), [5.0])
    scaler = StandardScaler().fit(X)
    expected = Ridge(alpha=5.0).fit(scaler.transform(X), Y)
    assert_allclose(X @ weights.T + intercepts, expected.predict(scaler.transform(X)), rtol=1e-8)


@pytest.mark.parametrize("noise", [0.1, 30.0])
def test_the_penalty_has_the_smallest_error_of_generalised_cross_validation(noise):
    y, penalties = X[:, :1] + noise * RNG.normal(size=(60, 1)), (0.1, 1.0, 10.0, 100.0, 1000.0)
    Z = StandardScaler().fit_transform(X)
    errors = []
    for penalty in penalties:
        hat = Z @ np.linalg.solve(Z.T @ Z + penalty * np.eye(7), Z.T) + 1 / 60
        errors.append(60 * ((y - hat @ y) ** 2).sum() / (60 - np.trace(hat)) ** 2)
    best = penalties[int(np.argmin(errors))]
    found, _ = ridge(moments(X, y), penalties)
    wanted, _ = ridge(moments(X, y), [best])
    assert_allclose(found, wanted)
    # The usual cross-validation, leaving one out, is not far away.
    usual = RidgeCV(alphas=penalties).fit(Z, y[:, 0]).alpha_
    assert abs(np.log10(usual) - np.log10(best)) <= 1


def test_constant_features_and_single_samples_have_no_weight():
    constant = np.c_[X, np.ones(60)]
    weights, intercepts = ridge(moments(constant, Y), [1.0])
    assert (weights[:, -1] == 0).all()
    assert np.isfinite(weights).all()
    weights, intercepts = ridge(moments(X[:1], Y[:1]), [1.0])
    assert (weights == 0).all()
    assert_allclose(intercepts, Y[0])
