import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.svm import LinearSVC

from fedreact.errors import UserError
from fedreact.task_models import svm_primal
from fedreact.task_models.svm import decision, fit_linear_svm

LOSSES = ["squared_hinge", "hinge"]


def blobs(clients=4, samples=24, features=40, classes=4, scale=1.0, seed=0):
    """Rectified class means plus noise; the label mix differs between clients."""
    rng = np.random.default_rng(seed)
    mix = rng.dirichlet(np.full(classes, 1.0), clients)
    y = np.stack([rng.choice(classes, samples, p=p) for p in mix])
    means = rng.normal(size=(classes, features))
    X = np.maximum(means[y] + rng.normal(size=(clients, samples, features)), 0)
    return (scale * X).astype(np.float32), y


def digit_features(clients=3, samples=48, features=120):
    """A random rectified layer on digits: strongly correlated, like learned features."""
    rng = np.random.default_rng(3)
    images, labels = load_digits(return_X_y=True)
    layer = rng.normal(size=(64, features)) / 64
    pick = rng.permutation(len(labels))[: clients * samples].reshape(clients, samples)
    return np.maximum(images[pick] @ layer, 0).astype(np.float32), labels[pick]


def objective(w, X, y, C, loss):
    """P(w), and its gradient for the squared hinge; X has its constant column, y is -1 or 1."""
    slack = np.maximum(1 - y * (X @ w), 0)
    if loss == "hinge":
        return w @ w / 2 + C * slack.sum(), None
    return w @ w / 2 + C * slack @ slack, w - 2 * C * X.T @ (y * slack)


def with_constant(X):
    return np.concatenate([X, np.ones((*X.shape[:-1], 1))], axis=-1).astype(float)


def signs(y, n_classes):
    return np.where(y[:, None] == np.arange(n_classes)[:, None], 1.0, -1.0)


def assert_like_linear_svc(X, y, n_classes, loss, C=1.0):
    weights = fit_linear_svm(X, y, n_classes, C=C, loss=loss).astype(float)
    for w, features, labels in zip(weights, X.astype(float), y):
        svc = LinearSVC(C=C, loss=loss, dual=True, tol=1e-8, max_iter=1_000_000)
        svc.fit(features, labels)
        expected = np.c_[svc.coef_, svc.intercept_]
        present = svc.classes_[1:] if len(svc.classes_) == 2 else svc.classes_
        norms = np.linalg.norm(w[present], axis=1), np.linalg.norm(expected, axis=1)
        assert ((w[present] * expected).sum(axis=1) / norms[0] / norms[1]).min() > 0.9999
        np.testing.assert_allclose(norms[0], norms[1], rtol=1e-3)


@pytest.mark.parametrize(
    ("loss", "expected"), [("squared_hinge", [20 / 29, -16 / 29]), ("hinge", [0.8, -0.6])]
)
def test_two_samples_by_hand(loss, expected):
    # x = 0 (class 0) and x = 2 (class 1), C = 1; class 1 has weight v and intercept b.
    # Squared hinge, both inside the margin: v - 4 (1 - 2v - b) = 0 and
    # b + 2 (1 + b) - 2 (1 - 2v - b) = 0, so 9v + 4b = 4 and 4v + 5b = 0.
    # Hinge, multipliers s0 and s1: v = 2 s1, b = s1 - s0; s0 = C = 1 and 2v + b = 1 give
    # s1 = 0.4, with the first margin violated by 1 + b = 0.4 as s0 = C asks.
    weights = fit_linear_svm(np.array([[[0.0], [2.0]]]), np.array([[0, 1]]), 2, loss=loss)
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights[0, 1], expected, rtol=1e-5)
    np.testing.assert_allclose(-weights[0, 0], expected, rtol=1e-5)  # the classes mirror each other


@pytest.mark.parametrize("scale", [0.05, 1, 20])
def test_like_linear_svc_where_samples_are_many(scale):
    X, y = blobs(clients=2, samples=180, features=12, scale=scale)
    assert svm_primal.pays(180, 12)
    assert_like_linear_svc(X, y, 5, "squared_hinge")  # nobody has the last class


def test_samples_that_do_not_count_where_they_are_many():
    X, y = blobs(clients=2, samples=180, features=12)
    valid = np.arange(180) < np.array([[180], [60]])
    padded = fit_linear_svm(np.where(valid[..., None], X, 7), y, 4, valid=valid)
    alone = fit_linear_svm(X[1:, :60], y[1:, :60], 4)
    np.testing.assert_allclose(padded[1:], alone, rtol=1e-3, atol=1e-4 * np.abs(alone).max())
    none = fit_linear_svm(X, y, 4, valid=np.zeros_like(valid))
    assert not none.any()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [0.05, 1, 20])
def test_like_linear_svc_on_blobs(loss, scale):
    assert_like_linear_svc(*blobs(scale=scale), 4, loss)


@pytest.mark.parametrize("loss", LOSSES)
def test_like_linear_svc_on_digits(loss):
    assert_like_linear_svc(*digit_features(), 10, loss)


@pytest.mark.parametrize("C", [0.01, 100])
def test_like_linear_svc_for_other_C(C):
    assert_like_linear_svc(*blobs(scale=0.3), 4, "squared_hinge", C)


@pytest.mark.parametrize("scale", [0.05, 1, 20])
@pytest.mark.parametrize("kind", ["duplicates", "constant", "dominating", "few", "low rank"])
def test_badly_conditioned_features(kind, scale):
    X, y = blobs(clients=3)
    if kind == "duplicates":  # of features and of samples with other labels
        X[:, :, 20:] = X[:, :, :20]
        X[:, 12:] = X[:, :12]
    elif kind == "constant":
        X[:, :, :10], X[:, :, 10:20] = 3, 0
    elif kind == "dominating":
        X[:, :, 0] *= 100
    elif kind == "few":
        X = X[:, :, :3]
    else:
        X = X[:, :, :5] @ np.random.default_rng(1).normal(size=(5, 40)).astype(np.float32)
    X *= np.float32(scale)
    weights = fit_linear_svm(X, y, 4).astype(float)
    # LinearSVC does not converge on some of these. |gradient| bounds |w - w*| (modulus 1), but
    # rounding of w counts |X|^2 times in it: Newton steps from w in float64 give w* instead.
    for k, features in enumerate(with_constant(X)):
        for w, labels in zip(weights[k], signs(y, 4)[k]):
            best = w
            for _ in range(20):
                active = features[labels * (features @ best) < 1]
                hessian = np.eye(len(w)) + 2 * active.T @ active
                step = np.linalg.solve(hessian, objective(best, features, labels, 1, "")[1])
                best = best - step
            assert np.linalg.norm(step) <= 1e-6 * np.linalg.norm(best)
            assert np.linalg.norm(w - best) <= 1e-3 * np.linalg.norm(best)


@pytest.mark.parametrize("loss", LOSSES)
def test_absent_classes_and_single_class_clients(loss):
    X, _ = blobs(clients=2, samples=10, features=6)
    y = np.array([[0, 1] * 5, [2] * 10])  # class 3 nowhere, client 1 has class 2 only
    weights = fit_linear_svm(X, y, 4, loss=loss)
    assert np.isfinite(weights).all()
    for k, features in enumerate(with_constant(X)):
        for w, labels in zip(weights[k].astype(float), signs(y, 4)[k]):
            if loss == "squared_hinge":
                best = minimize(
                    objective, w * 0, (features, labels, 1, loss), "L-BFGS-B", jac=True, tol=1e-14
                ).x
                np.testing.assert_allclose(w, best, atol=2e-4)
            else:  # the dual in the box, by the same solver
                kernel = (features @ features.T) * np.outer(labels, labels)
                dual = minimize(
                    lambda s, kernel=kernel: (s @ kernel @ s / 2 - s.sum(), kernel @ s - 1),
                    np.zeros(10),
                    method="L-BFGS-B",
                    jac=True,
                    bounds=[(0, 1)] * 10,
                    options={"ftol": 1e-15, "gtol": 1e-10},
                )
                value = objective(w, features, labels, 1, loss)[0]
                assert value + dual.fun <= 1e-5 * value


def test_gradient_vanishes():
    X, y = blobs(scale=0.3)
    weights = fit_linear_svm(X, y, 4).astype(float)
    for k, features in enumerate(with_constant(X)):
        for w, labels in zip(weights[k], signs(y, 4)[k]):
            gradient = objective(w, features, labels, 1, "squared_hinge")[1]
            start = objective(0 * w, features, labels, 1, "squared_hinge")[1]
            assert np.linalg.norm(gradient) <= 1e-4 * np.linalg.norm(start)


@pytest.mark.parametrize("loss", LOSSES)
def test_batch_and_order_of_clients_do_not_matter(loss):
    X, y = blobs(clients=6)
    weights = fit_linear_svm(X, y, 4, loss=loss)
    np.testing.assert_array_equal(weights, fit_linear_svm(X, y, 4, loss=loss))
    order = np.random.default_rng(0).permutation(6)
    permuted = fit_linear_svm(X[order], y[order], 4, loss=loss)
    np.testing.assert_allclose(permuted, weights[order], atol=1e-6)
    alone = np.concatenate(
        [fit_linear_svm(X[k : k + 1], y[k : k + 1], 4, loss=loss) for k in range(6)]
    )
    np.testing.assert_allclose(alone, weights, atol=1e-6)


def test_blocks_of_clients_do_not_matter(monkeypatch):
    X, y = blobs(clients=5)
    weights = fit_linear_svm(X, y, 4)
    monkeypatch.setattr("fedreact.task_models.svm.BLOCK", 2 * 24**2)
    np.testing.assert_allclose(fit_linear_svm(X, y, 4), weights, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_invalid_samples_have_no_influence(loss):
    X, y = blobs(clients=2)
    valid = np.ones(y.shape, bool)
    valid[1, 15:] = False
    padded, labels = X.copy(), y.copy()
    padded[1, 15:], labels[1, 15:] = np.nan, -7
    weights = fit_linear_svm(padded, labels, 4, loss=loss, valid=valid)
    np.testing.assert_allclose(weights[0], fit_linear_svm(X, y, 4, loss=loss)[0], atol=1e-5)
    short = fit_linear_svm(X[1:, :15], y[1:, :15], 4, loss=loss)
    np.testing.assert_allclose(weights[1:], short, atol=3e-5)
    nobody = fit_linear_svm(padded, labels, 4, loss=loss, valid=np.zeros_like(valid))
    np.testing.assert_array_equal(nobody, 0)


@pytest.mark.parametrize("loss", LOSSES)
def test_tiny_C_gives_the_first_gradient_step(loss):
    X, y = blobs()
    C = 1e-7
    weights = fit_linear_svm(X, y, 4, C=C, loss=loss)
    step = C * (2 if loss == "squared_hinge" else 1) * signs(y, 4) @ with_constant(X)
    np.testing.assert_allclose(weights, step, rtol=1e-3, atol=1e-4 * abs(step).max())


def test_large_C_separates():
    X, y = blobs()
    weights = fit_linear_svm(X, y, 4, C=1e6)
    margins = signs(y, 4) * decision(weights, X).swapaxes(1, 2)
    assert margins.min() > 0.999


def several_labels(clients=3, samples=40, features=15, labels=4, seed=0):
    """Labels of which none, one or several are true; each is true and false of some sample."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(clients, samples, features)).astype(np.float32)
    scores = X @ rng.normal(size=(clients, features, labels)) / 2
    return X, scores + rng.normal(size=scores.shape) > rng.normal(size=labels)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_several_labels_are_one_vs_rest_fits_of_each(loss, C):
    X, y = several_labels()
    assert set(y.sum(2).ravel()) >= {0, 1, 2, 3}
    weights = fit_linear_svm(X, y, 4, C=C, loss=loss).astype(float)
    assert weights.shape == (3, 4, 16)
    for k, label in np.ndindex(3, 4):
        svc = LinearSVC(C=C, loss=loss, dual=True, tol=1e-8, max_iter=1_000_000)
        svc.fit(X[k].astype(float), y[k, :, label])
        expected = np.r_[svc.coef_[0], svc.intercept_]
        np.testing.assert_allclose(
            weights[k, label], expected, rtol=0, atol=1e-3 * np.linalg.norm(expected)
        )


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_of_which_one_is_true_are_classes(loss):
    X, y = blobs()
    each = y[..., None] == np.arange(4)
    np.testing.assert_array_equal(
        fit_linear_svm(X, each, 4, loss=loss), fit_linear_svm(X, y, 4, loss=loss)
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_that_are_true_of_all_samples_or_of_none(loss):
    X, y = several_labels(clients=2)
    y[0, :, 1], y[0, :, 2:], y[1] = True, False, False
    weights = fit_linear_svm(X, y, 4, loss=loss).astype(float)
    assert np.isfinite(weights).all()
    flipped = fit_linear_svm(X, ~y, 4, loss=loss)
    np.testing.assert_allclose(weights, -flipped, atol=1e-3 * np.abs(weights).max())
    np.testing.assert_array_equal(weights[0, 2], weights[0, 3])
    assert (decision(weights[:1], X[:1])[0, :, 1] > 0).mean() > 0.9
    assert (decision(weights[1:], X[1:]) < 0).mean() > 0.9


@pytest.mark.parametrize("loss", LOSSES)
def test_invalid_samples_of_several_labels_have_no_influence(loss):
    X, y = several_labels(clients=1)
    valid = np.arange(40)[None] < 25
    padded = np.where(valid[..., None], X, np.nan)
    weights = fit_linear_svm(padded, y | ~valid[..., None], 4, loss=loss, valid=valid)
    short = fit_linear_svm(X[:, :25], y[:, :25], 4, loss=loss)
    np.testing.assert_allclose(weights, short, atol=3e-5)


def test_decision():
    weights = np.array([[[1.0, 0.0, 0.5], [0.0, 2.0, 0.0]]])
    X = np.array([[[1.0, 1.0], [3.0, 1.0], [0.0, -1.0]]])
    np.testing.assert_array_equal(decision(weights, X), [[[1.5, 2], [3.5, 2], [0.5, -2]]])


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for loss in LOSSES:
            fit_linear_svm(*blobs(), 4, loss=loss)


X_OK, Y_OK = np.ones((2, 3, 4)), np.zeros((2, 3), int)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"X": np.ones((2, 3))}, "must be"),
        ({"X": np.ones((2, 0, 4)), "y": np.zeros((2, 0), int)}, "none empty"),
        ({"y": np.zeros((3, 2), int)}, "must be"),
        ({"y": np.full((2, 3), 5)}, "0 to n_classes - 1 = 1"),
        ({"y": np.zeros((2, 3))}, "integers"),
        ({"y": np.zeros((2, 3, 3), bool)}, r"boolean \[K, m, 2\]"),
        ({"y": np.zeros((2, 3, 2), int)}, "boolean"),
        ({"loss": "logistic"}, "logistic"),
        ({"C": 0}, "C is 0"),
        ({"C": float("nan")}, "C is nan"),
        ({"C": 1e13}, "too large"),
        ({"X": np.full((2, 3, 4), np.nan)}, "NaN"),
        ({"X": np.full((2, 3, 4), np.inf)}, "infinite"),
        ({"X": np.full((2, 3, 4), 1e30)}, "huge"),
        ({"valid": np.ones((2, 3))}, "boolean"),
        ({"valid": np.ones((3, 2), bool)}, "shape"),
    ],
)
def test_bad_input_is_one_clear_line(change, text):
    arguments = {"X": X_OK, "y": Y_OK, "n_classes": 2, **change}
    with pytest.raises(UserError, match=text) as error:
        fit_linear_svm(**arguments)
    assert "\n" not in str(error.value)


def test_bad_shapes_for_decision():
    with pytest.raises(UserError, match="must be"):
        decision(np.ones((2, 3, 5)), np.ones((2, 7, 5)))
