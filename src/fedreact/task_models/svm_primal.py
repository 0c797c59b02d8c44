"""Linear SVMs of clients that have many more samples than features, by Newton steps on P(w).

The problem is that of :mod:`fedreact.task_models.svm` with the squared hinge,

    P(w) = 1/2 |w|^2 + C sum_i max(0, 1 - y_i w.x_i)^2,

whose Gram matrix [m, m] is the larger system here. With A = {i: y_i w.x_i < 1}, a step solves
(I + 2C X_A' X_A) d = -grad P(w) (Keerthi and DeCoste 2005; Chapelle 2007). P is 1-strongly convex,
so |w - w*| <= |grad P(w)|: steps end where that is at most RELATIVE_ERROR |w|.
"""

import warnings

import numpy as np

MAX_NEWTON = 100
RELATIVE_ERROR = 1e-4


def pays(m: int, D: int) -> bool:
    """Tell whether ``m`` samples of ``D`` features are enough for this to be the faster way."""
    return m >= 3 * (D + 1)


def fit_primal(X: np.ndarray, Y: np.ndarray, C: float) -> np.ndarray:
    """Return the weights ``float64 [c, D + 1]`` of one client, intercept last.

    Parameters
    ----------
    X, Y
        Samples ``[m, D]``, and signs ``[c, m]``: +1 for the class, -1 for the rest, 0 for samples
        that do not count.
    """
    counts = Y[0] != 0
    X = np.concatenate([X[counts], np.ones((counts.sum(), 1))], axis=1, dtype=float)
    Y = Y[:, counts]
    # Curvatures need not be exact, gradients must.
    narrow = X.astype(np.float32)
    start = np.linalg.solve(_curvature(narrow, C), 2 * C * X.T @ Y.T).T
    # Classes that a client lacks have the same solution.
    _, first, copies = np.unique(Y, axis=0, return_index=True, return_inverse=True)
    solved = [_newton(X, narrow, Y[k], C, start[k]) for k in first]
    return np.stack(solved)[copies.ravel()]


def _newton(
    X: np.ndarray, narrow: np.ndarray, y: np.ndarray, C: float, w: np.ndarray
) -> np.ndarray:
    """Minimise P for signs ``y [m]``, from ``w [D + 1]`` on."""
    f = X @ w
    for _ in range(MAX_NEWTON):
        active = y * f < 1
        gradient = w + 2 * C * ((f - y) * active) @ X
        if gradient @ gradient <= RELATIVE_ERROR**2 * (w @ w):
            return w
        d = -np.linalg.solve(_curvature(narrow[active], C), gradient)
        along, t, before = X @ d, 1.0, _objective(w, f, y, C)
        slope = gradient @ d
        while _objective(w + t * d, f + t * along, y, C) > before + 1e-4 * t * slope and t > 1e-9:
            t /= 2
        w, f = w + t * d, f + t * along
    warnings.warn(f"an SVM stopped after {MAX_NEWTON} Newton steps", stacklevel=4)
    return w


def _objective(w: np.ndarray, f: np.ndarray, y: np.ndarray, C: float) -> float:
    """Return P(w), given scores f = X w."""
    slack = np.maximum(1 - y * f, 0)
    return w @ w / 2 + C * (slack @ slack)


def _curvature(X: np.ndarray, C: float) -> np.ndarray:
    """Return I + 2C X'X, float64 [D + 1, D + 1]."""
    H = 2 * C * (X.T @ X).astype(float)
    H.flat[:: len(H) + 1] += 1
    return H
