"""Linear regressors of all clients fitted together: the task model where the target is a number.

Fed-REACT predicts the charge of vehicles with a linear output layer in the SVM's place (ICLR,
section 4.2). For client k, with an intercept b that is not penalised:

    min_{w, b} sum_i (w.x_i + b - y_i)^2 + penalty |w|^2,

which is scikit-learn's ``Ridge(alpha=penalty)``. :func:`fit_ridge_cv` chooses each client's penalty
by its own samples.
"""

import numpy as np

from fedreact.errors import UserError

PENALTIES = (1.0, 10.0, 100.0, 1e3, 1e4)
"""Candidates of :func:`fit_ridge_cv`, for standardised features."""
BLOCK = 2**24  # feature entries worked on at once: bounds the memory for many or large clients


def fit_ridge(
    X: np.ndarray, y: np.ndarray, penalty: float = 1.0, valid: np.ndarray | None = None
) -> np.ndarray:
    """Return the weights ``float32 [K, M, D + 1]`` of M targets, intercept last.

    Parameters
    ----------
    X, y
        Samples ``[K, m, D]`` and targets ``[K, m]`` or ``[K, m, M]``.
    penalty
        Positive, in squared units of the features.
    valid
        Boolean ``[K, m]``: samples that count, for clients with fewer than m; all when None. A
        client without any gets zeros.

    Raises
    ------
    UserError
        Shapes do not fit, values are NaN or infinite, or the penalty is not positive.
    """
    if not 0 < penalty < np.inf:
        raise UserError(f"penalty is {penalty}; it must be positive and finite")
    X, y, valid = check_samples(X, y, valid)
    weights = np.empty((len(X), y.shape[2], X.shape[2] + 1), np.float32)
    size = max(1, BLOCK // (X.shape[1] * X.shape[2]))
    for start in range(0, len(X), size):
        block = slice(start, start + size)
        weights[block] = _fit(X[block].astype(float), y[block].astype(float), valid[block], penalty)
    return weights


def fit_ridge_cv(X: np.ndarray, y: np.ndarray, valid: np.ndarray | None = None) -> np.ndarray:
    """Fit each client's ridge with the penalty of its smallest leave-one-out error.

    Arguments, result and errors are those of :func:`fit_ridge`; penalties are :data:`PENALTIES`. A
    client with fewer than three samples gets their mean.
    """
    from sklearn.linear_model import RidgeCV

    X, y, valid = check_samples(X, y, valid)
    weights = np.zeros((len(X), y.shape[2], X.shape[2] + 1), np.float32)
    for k, counts in enumerate(valid):
        if counts.sum() < 3:
            weights[k, :, -1] = y[k][counts].mean(0) if counts.any() else 0
            continue
        model = RidgeCV(PENALTIES).fit(X[k][counts].astype(float), y[k][counts].astype(float))
        weights[k, :, :-1], weights[k, :, -1] = model.coef_, model.intercept_
    return weights


def check_samples(
    X: np.ndarray, y: np.ndarray, valid: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Check samples ``[K, m, D]``, and return them with targets ``[K, m, M]`` and validity.

    Raises
    ------
    UserError
        Shapes do not fit, or values are NaN or infinite.
    """
    X, y = np.asarray(X), np.asarray(y)
    if X.ndim != 3 or 0 in X.shape or y.shape[:2] != X.shape[:2] or y.ndim > 3:
        raise UserError(f"X {X.shape} and y {y.shape} must be [K, m, D] and [K, m], none empty")
    valid = np.ones(y.shape[:2], bool) if valid is None else np.asarray(valid)
    if valid.shape != y.shape[:2] or valid.dtype != bool:
        raise UserError(f"valid must be boolean of y's shape {y.shape[:2]}")
    if not (np.isfinite(X[valid]).all() and np.isfinite(y[valid]).all()):
        raise UserError("X or y holds NaN or infinite values; check features and targets")
    return X, y[..., None] if y.ndim == 2 else y, valid


def _fit(X: np.ndarray, y: np.ndarray, valid: np.ndarray, penalty: float) -> np.ndarray:
    """Return weights ``[K, M, D + 1]`` of a block of clients with targets ``y [K, m, M]``."""
    share = valid / np.maximum(valid.sum(1, keepdims=True), 1)
    X = np.where(valid[..., None], X, 0)
    y = np.where(valid[..., None], y, 0)
    mean, target = np.einsum("km,kmd->kd", share, X), (share[..., None] * y).sum(1)
    X = (X - mean[:, None]) * valid[..., None]
    normal = X.mT @ X + penalty * np.eye(X.shape[2])
    w = np.linalg.solve(normal, X.mT @ ((y - target[:, None]) * valid[..., None]))
    intercept = target - (w * mean[..., None]).sum(1)
    return np.concatenate([w, intercept[:, None]], axis=1).mT
