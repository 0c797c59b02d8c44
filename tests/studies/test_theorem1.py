"""The constants of Theorem 1 bound what they say, and the study's algorithm is the paper's."""

import json
from argparse import Namespace

import numpy as np
import pandas as pd
import pytest
import study as command
from helpers import ROOT

from fedreact import plugins
from fedreact.errors import UserError
from fedreact.studies import theorem1
from fedreact.studies.theorem1 import Constants

SIZES = {"clients": 3, "rounds": 30, "dimension": 4, "features": 2}
GAMMA = 1.3


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def points(rng, n=2000, m=2, d=4):
    """Encoders in the region, many at its border."""
    return theorem1.project(rng.normal(size=(n, m, d)) * rng.uniform(0, 3, (n, 1, 1)), GAMMA)


def covariances(rng, n=2000, d=4):
    """Largest eigenvalue between 0 and 2 Gamma."""
    X = theorem1.covariance(rng.normal(size=(n, d, d)))
    return X * (rng.uniform(0, 2 * GAMMA, n) / np.linalg.eigvalsh(X)[:, -1])[:, None, None]


def test_gradient_is_that_of_finite_differences(rng):
    theta, X, step = rng.normal(size=(2, 4)), covariances(rng, 1)[0], 1e-6
    numeric = np.empty_like(theta)
    for i in np.ndindex(theta.shape):
        moved = np.zeros_like(theta)
        moved[i] = step
        change = theorem1.loss(theta + moved, X) - theorem1.loss(theta - moved, X)
        numeric[i] = change / (2 * step)
    np.testing.assert_allclose(theorem1.gradient(theta, X), numeric, rtol=1e-6, atol=1e-7)


def test_ssl_loss_differs_by_a_constant_and_a_factor(rng):
    """Without the noise, which has mean 0: -mean ||theta x||^2 + ||theta^T theta||^2 / 2."""
    x, theta = rng.normal(size=(50, 4)), rng.normal(size=(2, 4))
    X = theorem1.covariance(x)
    ssl = -np.square(x @ theta.T).sum(1).mean() + np.square(theta.T @ theta).sum() / 2
    assert ssl == pytest.approx((theorem1.loss(theta, X) - np.square(X).sum()) / 2)


def test_loss_is_16_gamma_smooth_in_the_region(rng):
    X, a = covariances(rng), points(rng)
    near = theorem1.project(a + 1e-3 * rng.normal(size=a.shape), GAMMA)
    for b in (points(rng), near):
        slope = np.linalg.matrix_norm(theorem1.gradient(a, X) - theorem1.gradient(b, X))
        assert np.all(slope <= theorem1.smoothness(GAMMA) * np.linalg.matrix_norm(a - b) + 1e-12)


def test_no_point_of_the_region_exceeds_the_largest_loss(rng):
    X = covariances(rng)
    theta = np.concatenate([points(rng, 1999), np.zeros((1, 2, 4))])
    assert np.all(theorem1.loss(theta, X) <= theorem1.largest_loss(X, 2, GAMMA) + 1e-12)


def test_largest_loss_is_reached(rng):
    X = covariances(rng, 1)[0]
    values, vectors = np.linalg.eigh(X)
    worst = GAMMA**0.5 * vectors[:, :2].T * (2 * values[:2, None] < GAMMA)
    assert theorem1.loss(worst, X) == pytest.approx(theorem1.largest_loss(X, 2, GAMMA))


def test_squared_gradient_is_below_beta_m(rng):
    X, theta = covariances(rng), points(rng)
    squared = np.square(theorem1.gradient(theta, X)).sum((-2, -1))
    assert np.all(squared <= theorem1.smoothness(GAMMA) * theorem1.loss(theta, X) + 1e-12)


def test_stochastic_gradient_is_unbiased_and_its_variance_below_sigma2(rng):
    """Over all minibatches of one sample, so both means are exact."""
    x, theta = rng.normal(size=(20, 4)), points(rng)
    each = theorem1.gradient(theta[:, None], theorem1.covariance(x[:, None]))
    exact = theorem1.gradient(theta, theorem1.covariance(x))
    np.testing.assert_allclose(each.mean(1), exact, atol=1e-12)
    variance = np.square(each - exact[:, None]).sum((-2, -1)).mean(1)
    sigma2 = theorem1.largest_variance(x, 1, 2, GAMMA)
    assert np.all(variance <= sigma2)
    assert variance.max() > 0.5 * sigma2
    assert theorem1.largest_variance(x, 5, 2, GAMMA) == pytest.approx(sigma2 / 5)


def test_projection_is_the_nearest_point_of_the_region(rng):
    theta, inside = 3 * rng.normal(size=(2000, 2, 4)), points(rng)
    projected = theorem1.project(theta, GAMMA)
    assert np.linalg.matrix_norm(projected, ord=2).max() <= GAMMA**0.5 + 1e-12
    np.testing.assert_allclose(theorem1.project(inside, GAMMA), inside, atol=1e-12)
    # Nearest in a convex set: no inner point lies on the far side of the tangent plane.
    assert np.all(((theta - projected) * (inside - projected)).sum((-2, -1)) <= 1e-9)


def test_window_of_one_is_federated_sgd():
    problem = theorem1.draw(0, **SIZES)
    found = theorem1.run(problem, 1, 0.9)
    theta, squares = problem.start, []
    for X, X_batch in zip(problem.X, problem.X_batch):
        squares.append(np.square(theorem1.gradient(theta, X).mean(0)).sum())
        step = theorem1.gradient(theta, X_batch) / problem.constants.beta
        theta = theorem1.project(theta - step, problem.region).mean(0)
    np.testing.assert_allclose(found.thetas[-1], theta)
    assert found.measured == pytest.approx(np.mean(squares))


def test_regret_has_a_model_for_each_term():
    problem = theorem1.draw(0, **SIZES)
    found = theorem1.run(problem, 3, 0.5)
    squares = []
    for t in range(30):
        past = [(j, t - j) for j in range(3) if t >= j]
        terms = [0.5**j * theorem1.gradient(found.thetas[s], problem.X[s]) for j, s in past]
        squares.append(np.square(np.mean(sum(terms), 0) / 1.75).sum())
    assert found.measured == pytest.approx(np.mean(squares))


@pytest.mark.parametrize("w", [1, 10, 30])
def test_models_stay_in_the_region(w):
    problem = theorem1.draw(1, **SIZES)
    thetas = theorem1.run(problem, w, 1.0).thetas
    assert np.linalg.matrix_norm(thetas, ord=2).max() <= problem.region**0.5 + 1e-12


def test_bounds_by_hand():
    c = Constants(M=2.0, beta=3.0, sigma2=5.0, epsilon2=8.0)
    assert c.eta == pytest.approx(1 / 3)
    # W = 1 + 1/2; sum of gamma^2j = 5/4.
    assert theorem1.theorem_bound(c, 2, 0.5) == pytest.approx((64 * 6 + 10) / 1.5 + 5)
    rest = 10 * 1.25 / 2.25 + 5
    assert theorem1.finite_bound(c, 2, 0.5) == pytest.approx(32 * 6 + rest)
    last = 32 * 6 / 1.5 * (2 - 0.25 + 0.5) / 0.5 + rest
    assert theorem1.last_finite_bound(c, 2, 0.5) == pytest.approx(last)
    assert theorem1.certain_bound(c) == 6


@pytest.mark.parametrize("w", [1, 2, 7, 100])
@pytest.mark.parametrize("gamma", [0.1, 0.7, 0.99])
def test_lemmas_2_and_3_bound_by_2m_each(w, gamma):
    """As printed, with M = 1: no 1 / W is left."""
    W = (1 - gamma**w) / (1 - gamma)
    lemma_2 = (1 + gamma ** (w - 1) + (1 - gamma ** (w - 1)) * (1 + gamma) / (1 - gamma)) / W
    lemma_3 = 2 * (1 - gamma**w) / (1 - gamma) / W
    assert lemma_2 == pytest.approx(2)
    assert lemma_3 == pytest.approx(2)


def test_finite_bounds_do_not_go_to_that_of_theorem_1():
    c, w, gamma = Constants(M=2.0, beta=3.0, sigma2=5.0, epsilon2=8.0), 10, 1 - 1e-9
    assert theorem1.theorem_bound(c, w, gamma) == pytest.approx((64 * 6 + 10) / 10 + 5)
    assert theorem1.finite_bound(c, w, gamma) == pytest.approx(32 * 6 + 10 / 10 + 5)
    assert theorem1.last_finite_bound(c, w, gamma) > 1e9
    assert theorem1.last_finite_bound(c, w, 1.0) == np.inf


def test_five_eighths_of_epsilon2_is_too_little():
    """A loss -x on [-1, 1] meets Assumption 1 with M = beta = 1 and sigma = 0."""
    w, T = 1000, 100_000
    x, gradients = 0.0, np.full(T, -1.0)
    errors = np.empty(T)
    for t in range(T):
        step = np.clip(x + 1, -1, 1) - x  # eta = 1
        errors[t] = 1 - step
        x += step
    smoothed = np.convolve(gradients, np.full(w, 1 / w))[:T]
    c = Constants(M=1.0, beta=1.0, sigma2=0.0, epsilon2=np.square(errors).max())
    assert np.square(smoothed).mean() > theorem1.theorem_bound(c, w, 1.0)


def test_bound_holds_in_a_small_study():
    for seed in range(3):
        problem = theorem1.draw(seed, **SIZES)
        for w in (1, 5, 30):
            for gamma in (0.7, 1.0):
                found = theorem1.run(problem, w, gamma)
                assert 0 < found.measured <= found.bound
                assert found.measured <= theorem1.certain_bound(found.constants)


def test_same_seed_same_numbers():
    one, same, other = (theorem1.run(theorem1.draw(s, **SIZES), 5, 0.9) for s in (0, 0, 1))
    assert one.measured == same.measured
    assert one.constants == same.constants
    assert one.measured != other.measured


@pytest.mark.parametrize(("w", "gamma"), [(0, 1.0), (31, 1.0), (2, 0.0), (2, 1.1)])
def test_wrong_cells_are_refused(w, gamma):
    with pytest.raises(UserError, match="theorem1"):
        theorem1.run(theorem1.draw(0, **SIZES), w, gamma)


@pytest.mark.parametrize("change", [{"clients": 0}, {"features": 5}])
def test_wrong_sizes_are_refused(change):
    with pytest.raises(UserError, match="theorem1"):
        theorem1.draw(0, **(SIZES | change))


# ---- The study and its command -------------------------------------------------------------------

GRID = {"windows": [1, 5], "decays": [0.7, 1.0], "rounds": 20, "clients": 3}


def test_the_command_writes_a_line_for_each_seed_window_and_decay(tmp_path):
    output = tmp_path / "studies/theorem1.csv"
    study = json.dumps({"kind": "theorem1", **GRID})
    command.main(Namespace(study=study, seeds=[0, 1], output=output))
    table = pd.read_csv(output)
    assert list(table.columns[:5]) == ["seed", "w", "gamma", "measured", "bound"]
    assert list(table.columns[5:]) == ["M", "beta", "sigma2", "epsilon2", "eta"]
    cells = [(s, w, gamma) for s in (0, 1) for w in (1, 5) for gamma in (0.7, 1.0)]
    assert list(table[["seed", "w", "gamma"]].itertuples(index=False, name=None)) == cells
    assert (table["measured"] <= table["bound"]).all()
    # Seven digits of what the functions give.
    found = theorem1.run(theorem1.draw(1, clients=3, rounds=20), 5, 0.7)
    (line,) = table.query("seed == 1 and w == 5 and gamma == 0.7").to_dict("records")
    assert line["measured"] == pytest.approx(found.measured, rel=1e-6)
    assert line["bound"] == pytest.approx(found.bound, rel=1e-6)
    for name in ("M", "beta", "sigma2", "epsilon2", "eta"):
        assert line[name] == pytest.approx(getattr(found.constants, name), rel=1e-6)


def test_a_study_that_fails_leaves_no_file(tmp_path):
    study = json.dumps({"kind": "theorem1", **GRID, "windows": [1, 21]})
    args = Namespace(study=study, seeds=[0], output=tmp_path / "theorem1.csv")
    with pytest.raises(UserError, match="w is 21"):
        command.main(args)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "change", [{"windows": []}, {"windows": [0]}, {"decays": [1.5]}, {"clients": 0}, {"w": 3}]
)
def test_wrong_options_of_the_study_are_refused(change):
    with pytest.raises(UserError, match="here"):
        plugins.make("studies", {"kind": "theorem1"} | GRID | change, "STUDY", "here")


@pytest.mark.campaign
def test_the_page_says_what_the_study_finds():
    """Of the five seeds that it names; its numbers are read from there."""
    page = " ".join((ROOT / "docs/theorems/theorem1.md").read_text().split())
    study = theorem1.Theorem1()
    found = pd.DataFrame(study.run(range(5)), columns=study.COLUMNS).astype(float)
    looseness = found["bound"] / found["measured"]
    assert looseness.min() >= 1
    assert f"Yes, in all {len(found)} runs" in page
    assert f"By a factor of {looseness.min():.0f} to {round(looseness.max(), -3):,.0f}." in page
    cells = found.groupby(["w", "gamma"])
    beyond = [cell for cell in cells.groups if 1 / theorem1.weights(int(cell[0]), cell[1])[0] > 64]
    assert (len(beyond), len(cells)) == (1, 28)
    assert "only where W > 64, one cell of 28" in page
    plain = found[found["gamma"] == 1].groupby("w")["measured"].mean()
    assert plain.idxmin() == 5
    assert plain[5:].is_monotonic_increasing
    assert "with gamma = 1 they are smallest at w = 5 and grow from there" in page
