"""A3 against a case worked by hand, pykalman, dense Gaussians, and its own limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pykalman import KalmanFilter
from pykalman.standard import _smooth_pair
from scipy.stats import multivariate_normal

from fedreact.aggregation.kalman import (
    KalmanSmoothing,
    Model,
    em_step,
    first_observation,
    kalman_filter,
    rts_smoother,
)
from fedreact.errors import UserError

ALL = np.ones(3, dtype=bool)


def walks(seed, T=6, C=3, P=4):
    rng = np.random.default_rng(seed)
    hidden = 2 + 0.5 * rng.normal(size=(T, C, P)).cumsum(0)
    return hidden + rng.normal(size=(T, C, P))


def gaps(seed, T=6, C=3):
    observed = np.random.default_rng(seed).random((T, C)) < 0.6
    observed[1] = True  # some series start with a gap
    return observed


def model(f=1.0, q=0.4, r=0.7, p0=1.5, mu0=0.0, P=4):
    return Model(*map(np.asarray, (f, q, r, p0)), np.full(P, mu0))


def smooth(y, m, observed=None):
    filtered = kalman_filter(y, m, observed)
    return filtered, rts_smoother(filtered, m)


def estimates(method, Y, observed=None):
    """The estimate after each round."""
    memory, found = None, []
    for t, y in enumerate(Y):
        seen = np.ones(len(y), dtype=bool) if observed is None else observed[t]
        memory, estimate = method(memory, y, 0.0, seen)
        found.append(estimate)
    return np.array(found)


def with_x0(y, observed):
    """A masked round in front, which makes pykalman's first state x_0."""
    masked = np.ma.array(np.concatenate([y[:1], y]))
    masked[0] = np.ma.masked
    masked[1:][~observed] = np.ma.masked
    return masked


def pykalman_of(m, P):
    return KalmanFilter(
        transition_matrices=m.f * np.eye(P),
        observation_matrices=np.eye(P),
        transition_covariance=m.q * np.eye(P),
        observation_covariance=m.r * np.eye(P),
        initial_state_mean=m.mu0,
        initial_state_covariance=m.p0 * np.eye(P),
    )


def pykalman_moments(y, m, observed):
    """Smoothed means, variances and lag-one covariances [T + 1, P(, P)] of pykalman."""
    kf, P = pykalman_of(m, y.shape[1]), y.shape[1]
    masked = with_x0(y, observed)
    mean, cov = kf.smooth(masked)
    filtered_cov = kf.filter(masked)[1]
    gains = [
        V @ (m.f * np.eye(P)).T @ np.linalg.inv(m.f**2 * V + m.q * np.eye(P))
        for V in filtered_cov[:-1]
    ]
    return mean, cov, _smooth_pair(cov, np.array(gains))


def dense(y, m, observed):
    """Prior moments of x_0 ... x_N (one coordinate) and the rounds that were observed."""
    N = len(y)
    L = np.tril(m.f ** np.maximum(np.subtract.outer(np.arange(N + 1), np.arange(N + 1)), 0))
    S = L @ np.diag([m.p0] + [m.q] * N) @ L.T
    return m.f ** np.arange(N + 1), S, 1 + np.flatnonzero(observed)


def log_likelihood(y, m, observed):
    powers, S, seen = dense(y, m, observed)
    cov = S[np.ix_(seen, seen)] + m.r * np.eye(len(seen))
    return sum(
        multivariate_normal(powers[seen] * mu, cov).logpdf(column[seen - 1])
        for column, mu in zip(y.T, m.mu0)
    )


def test_two_rounds_by_hand():
    # f = q = r = p0 = 1, mu0 = 0, y = 3, 5.
    # P1- = 2, K1 = 2/3, x1 = 2, P1+ = 2/3; P2- = 5/3, K2 = 5/8, x2 = 31/8, P2+ = 5/8.
    # G1 = 2/5, x1|2 = 2 + 2/5 (31/8 - 2) = 11/4, P1|2 = 2/3 + 4/25 (5/8 - 5/3) = 1/2.
    # G0 = 1/2, x0|2 = 11/8, P0|2 = 1 + 1/4 (1/2 - 2) = 5/8; both lag-one covariances are 1/4.
    y, m = np.array([[3.0], [5.0]]), model(1, 1, 1, 1, 0, P=1)
    filtered, smoothed = smooth(y, m)
    np.testing.assert_allclose(filtered.mean[:, 0], [0, 2, 31 / 8])
    np.testing.assert_allclose(filtered.var, [1, 2 / 3, 5 / 8])
    np.testing.assert_allclose(filtered.predicted_var, [2, 5 / 3])
    np.testing.assert_allclose(filtered.gain, [2 / 3, 5 / 8])
    np.testing.assert_allclose(smoothed.mean[:, 0], [11 / 8, 11 / 4, 31 / 8])
    np.testing.assert_allclose(smoothed.var, [5 / 8, 1 / 2, 5 / 8])
    np.testing.assert_allclose(smoothed.lag_one, [1 / 4, 1 / 4])
    # A = 5/8 + 1/2 + (11/8)^2 + (11/4)^2 = 677/64; B = 1/2 + 121/32 + 341/32 = 239/16;
    # C = 1/2 + 5/8 + (11/4)^2 + (31/8)^2 = 1517/64.
    # q = (C - 2 B + A) / 2 = 141/64; r = ((1/4)^2 + 1/2 + (9/8)^2 + 5/8) / 2 = 157/128.
    learnt = em_step(y, m)
    np.testing.assert_allclose([learnt.f, learnt.q, learnt.r], [1, 141 / 64, 157 / 128])
    learnt = em_step(y, m, learn="fqr")
    f = 956 / 677
    q = (1517 / 64 - f * 239 / 16) / 2
    np.testing.assert_allclose([learnt.f, learnt.q, learnt.r], [f, q, 157 / 128])


def test_eq_18_as_printed_is_not_the_lag_one_covariance():
    m = model(f=0.9)
    filtered, smoothed = smooth(walks(0)[:, 0], m)
    _, S, seen = dense(walks(0)[:, 0], m, np.ones(6, dtype=bool))
    K = S[:, seen] @ np.linalg.inv(S[np.ix_(seen, seen)] + m.r * np.eye(6))
    posterior = S - K @ S[seen]
    np.testing.assert_allclose(smoothed.lag_one, np.diag(posterior, 1), rtol=1e-10)
    np.testing.assert_allclose(smoothed.var, np.diag(posterior), rtol=1e-10)
    G = m.f * filtered.var[:-1] / filtered.predicted_var
    assert (filtered.var[:-1] * G > 1.1 * smoothed.lag_one)[:-1].all()
    np.testing.assert_allclose(  # eq. 17
        smoothed.lag_one[-1], (1 - filtered.gain[-1]) * m.f * filtered.var[-2]
    )


@pytest.mark.parametrize("f", [1.0, 0.8])
def test_moments_equal_pykalman_with_and_without_gaps(f):
    Y, m = walks(1), model(f, mu0=0.5)
    observed = gaps(1)
    observed[:, 0] = True
    filtered, smoothed = smooth(Y, m, observed)
    for c in range(3):
        kf, masked = pykalman_of(m, 4), with_x0(Y[:, c], observed[:, c])
        mean, cov = kf.filter(masked)
        np.testing.assert_allclose(filtered.mean[:, c], mean, atol=1e-12)
        np.testing.assert_allclose(filtered.var[:, c, None, None] * np.eye(4), cov, atol=1e-12)
        mean, cov, pair = pykalman_moments(Y[:, c], m, observed[:, c])
        np.testing.assert_allclose(smoothed.mean[:, c], mean, atol=1e-12)
        np.testing.assert_allclose(smoothed.var[:, c, None, None] * np.eye(4), cov, atol=1e-12)
        np.testing.assert_allclose(
            smoothed.lag_one[:, c, None, None] * np.eye(4), pair[1:], atol=1e-12
        )


def test_first_state_of_pykalman_is_that_of_the_first_observation():
    y, m = walks(2)[:, 0], model(mu0=0.5)
    kf = pykalman_of(m._replace(p0=m.p0 + m.q), 4)  # f = 1
    np.testing.assert_allclose(kalman_filter(y, m).mean[1:], kf.filter(y)[0], atol=1e-12)
    np.testing.assert_allclose(smooth(y, m)[1].mean[1:], kf.smooth(y)[0], atol=1e-12)


@pytest.mark.parametrize("learn", ["qr", "fqr"])
def test_em_equals_eqs_19_to_24_on_the_moments_of_pykalman(learn):
    y, observed = walks(3)[:, 0], gaps(3)[:, 0]
    ours = theirs = model(mu0=0.5)
    for _ in range(4):
        mean, cov, pair = pykalman_moments(y, theirs, observed)
        second = cov + np.einsum("ti,tj->tij", mean, mean)
        A = np.trace(second[:-1].sum(0))
        B = np.trace((pair[1:] + np.einsum("ti,tj->tij", mean[1:], mean[:-1])).sum(0))
        C = np.trace(second[1:].sum(0))
        f = B / A if learn == "fqr" else theirs.f
        errors = y - mean[1:]
        R = (np.einsum("ti,tj->tij", errors, errors) + cov[1:])[observed].mean(0)
        q = (C - 2 * f * B + f * f * A) / (6 * 4)
        theirs = theirs._replace(f=f, q=q, r=np.trace(R) / 4)
        ours = em_step(y, ours, observed, learn)
        np.testing.assert_allclose(
            [ours.f, ours.q, ours.r], [theirs.f, theirs.q, theirs.r], rtol=1e-10
        )


def test_em_step_is_the_trace_of_pykalmans_full_covariances():
    y, m = walks(4)[:, 0], model(mu0=0.5)
    kf = pykalman_of(m, 4).em(
        with_x0(y, np.ones(6, dtype=bool)),
        n_iter=1,
        em_vars=["transition_covariance", "observation_covariance"],
    )
    ours = em_step(y, m)
    np.testing.assert_allclose(ours.q, np.trace(kf.transition_covariance) / 4)
    np.testing.assert_allclose(ours.r, np.trace(kf.observation_covariance) / 4)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["qr", "fqr"]),
    st.sampled_from([0.001, 1.0, 10.0]),
    st.sampled_from([0.001, 1.0, 10.0]),
)
def test_em_never_lowers_the_likelihood(seed, learn, q, r):
    y, observed = walks(seed)[:, 0], gaps(seed)[:, 0]
    m = model(q=q, r=r)._replace(mu0=first_observation(y, observed))
    before = log_likelihood(y, m, observed)
    for _ in range(5):
        m = em_step(y, m, observed, learn)
        after = log_likelihood(y, m, observed)
        assert after >= before - 1e-8 * abs(before)
        before = after


def test_large_state_noise_is_memoryless():
    Y = walks(5)
    found = estimates(KalmanSmoothing(q=1e12, learn="none"), Y)
    np.testing.assert_allclose(found, Y, atol=1e-9)


@pytest.mark.parametrize("r", [1e-6, 0.3, 10.0])
def test_no_state_noise_is_the_mean_with_the_prior_as_one_more_observation(r):
    Y, t = walks(6), np.arange(1, 7)[:, None, None]
    found = estimates(KalmanSmoothing(q=1e-13, r=r, learn="none"), Y)
    expected = (Y[0] / 1.0 + Y.cumsum(0) / r) / (1 / 1.0 + t / r)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    if r < 1e-3:
        np.testing.assert_allclose(found, Y.cumsum(0) / t, atol=1e-5)


@pytest.mark.parametrize("learn", ["none", "qr", "fqr"])
def test_reduced_coordinates_change_nothing(learn):
    Y, observed = walks(7, T=9, P=5), gaps(7, T=9)  # more rounds than coordinates
    observed[0] = True
    Y[4, 0] = 2 * Y[2, 0] - Y[1, 0]  # in the span of the others
    found = estimates(KalmanSmoothing(learn=learn), Y, observed)
    for t in range(1, 10):
        y, seen = Y[:t], observed[:t]
        start = (np.full(3, value) for value in (1.0, 0.1, 1.0, 1.0))
        m = Model(*start, first_observation(y, seen))
        for _ in range(10):
            m = em_step(y, m, seen, learn)
        np.testing.assert_allclose(found[t - 1], kalman_filter(y, m, seen).mean[-1], atol=1e-6)


def test_rotations_and_permutations_of_coordinates_go_through():
    Y, rng = walks(8), np.random.default_rng(8)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    method = KalmanSmoothing(learn="fqr")
    found = estimates(method, Y)
    np.testing.assert_allclose(estimates(method, Y @ Q), found @ Q, atol=1e-9)
    np.testing.assert_allclose(estimates(method, Y[:, [2, 0, 1]]), found[:, [2, 0, 1]], atol=1e-9)


def test_what_stands_in_a_row_that_was_not_observed_means_nothing():
    Y, observed = walks(9), gaps(9)
    observed[0] = True
    found = estimates(KalmanSmoothing(), Y, observed)
    Y[~observed] = np.nan
    np.testing.assert_array_equal(estimates(KalmanSmoothing(), Y, observed), found)


def test_a_series_never_observed_gets_its_models():
    Y, observed = walks(10), gaps(10)
    observed[:, 1] = False
    found = estimates(KalmanSmoothing(), Y, observed)
    np.testing.assert_array_equal(found[:, 1], Y[:, 1])
    others = estimates(KalmanSmoothing(), Y[:, [0, 2]], observed[:, [0, 2]])
    np.testing.assert_allclose(found[:, [0, 2]], others, atol=1e-9)


@pytest.mark.parametrize("learn", ["none", "qr", "fqr"])
@pytest.mark.parametrize("size", [0.0, 1.0, 1e-3])
def test_identical_models_are_their_own_estimate(learn, size):
    Y = np.repeat(size * walks(11)[:1], 30, axis=0)
    found = estimates(KalmanSmoothing(learn=learn, iterations=50), Y)
    if learn == "fqr":  # f falls below 1 where p0 is large beside the models: they shrink
        assert (np.abs(found) <= np.abs(Y) * 1.1).all()
    else:
        np.testing.assert_allclose(found, Y, atol=1e-9)


def test_float32_models_are_worked_in_float64():
    Y = walks(14).astype(np.float32)
    found = estimates(KalmanSmoothing(), Y)
    np.testing.assert_array_equal(found, estimates(KalmanSmoothing(), Y.astype(float)))


def test_one_round_is_its_own_estimate():
    Y = walks(12, T=1)
    np.testing.assert_allclose(estimates(KalmanSmoothing(), Y), Y, atol=1e-12)


def test_memory_is_left_as_it_was_and_a_call_repeats_to_the_byte():
    Y, method = walks(13), KalmanSmoothing()
    memory, _ = method(None, Y[0], 0.0, ALL)
    memory, _ = method(memory, Y[1], 0.0, ALL)
    before = [np.copy(part) for part in memory]
    models = Y[2].copy()
    first_memory, first = method(memory, models, 0.0, ALL)
    method(memory, Y[3], 0.0, ~ALL)
    models[:] = 0  # the caller's own array
    second_memory, second = method(memory, Y[2], 0.9, ALL)
    assert first.tobytes() == second.tobytes()
    for then, now in zip(before, memory):
        np.testing.assert_array_equal(then, now)
    for a, b in zip(first_memory, second_memory):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"r": 0.0}, "A3: r is 0.0; it must be a positive number"),
        ({"q": -1.0}, "A3: q is -1.0; it must be a positive number"),
        ({"p0": float("nan")}, "A3: p0 is nan; it must be a positive number"),
        ({"learn": "q"}, "A3: learn is 'q'; known: none, qr, fqr"),
        ({"iterations": -1}, "A3: iterations is -1; it must be 0, 1, 2, ..."),
    ],
)
def test_wrong_options_are_told(option, message):
    with pytest.raises(UserError) as error:
        KalmanSmoothing(**option)
    assert str(error.value) == message
