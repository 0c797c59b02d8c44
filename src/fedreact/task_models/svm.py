"""Linear SVMs of all clients fitted together: the local step of Phase 2.

For client k and class c (labels y = +1 for the class, -1 for the rest), each problem is that of
scikit-learn's ``LinearSVC(intercept_scaling=1)``: with x a sample and a constant 1 after it,

    min_w P(w) = 1/2 |w|^2 + sum_i l(1 - y_i w.x_i),   l(v) = C max(0, v)^2 or C max(0, v).

w = sum_i a_i x_i, so only the Gram matrix G = X X' [m, m] is needed, shared by a client's classes.
One-vs-rest runs over the fixed list of classes. A class that a client lacks is solved as it stands
(all labels -1; all +1 for a client's only class), where LinearSVC drops it or refuses the client.

**Squared hinge.** Let r = 1/(2C), S = G + r I. Letting the targets t = y + u move away from the
boundary (y_i u_i >= 0; Ho and Kashyap 1965) turns the loss into ridge regression: a = S^-1 t and
min_w P = min_u 1/2 t' S^-1 t. At the optimum u = 0 just on the active set A = {y_i w.x_i < 1},
and a = 0 off it.

1. Guess A: some projected gradient steps on u with Barzilai-Borwein (1988) lengths, in float32,
   one product with S^-1 each. What follows is float64.
2. Certify: duality gives, for any a with y_i a_i >= 0 and e = y - S a (but e_i = 0 where a_i = 0
   and y_i e_i < 0), |w - w*|^2 <= e' S^-1 e. Problems where this is <= (1e-4 |w|)^2 are done.
3. The others take Newton steps from the guess (Keerthi and DeCoste 2005; Chapelle 2007): solve
   S_AA a_A = y_A, halve the step until P decreases enough, renew A; done when A repeats.

**Hinge.** The same Newton steps on the smoothed loss max_{0 <= s <= C} s v - r s^2 / 2 (Chapelle
2007), with y_i a_i = C fixed where y_i w.x_i <= 1 - r C. r goes from 1/(2C) to 1e-6 of it
(not below 1e-10 max_i G_ii, for rounding); then |w - w*|^2 <= r sum_i s_i (C - s_i), s = y a.

Clients with many more samples than features are solved in w instead, for the squared hinge: see
:mod:`fedreact.task_models.svm_primal`.
"""

import warnings

import numpy as np

from fedreact.errors import UserError
from fedreact.task_models import svm_primal

GUESS_STEPS = 24
MAX_NEWTON = 100
RELATIVE_ERROR = 1e-4
SMOOTHING = (1, 1e-2, 1e-4, 1e-6)
BLOCK = 2**20  # Gram entries worked on at once: bounds the memory for many or large clients


def fit_linear_svm(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    C: float = 1.0,
    loss: str = "squared_hinge",
    valid: np.ndarray | None = None,
) -> np.ndarray:
    """Return the one-vs-rest SVM weights [K, n_classes, D + 1] (float32, intercept last).

    Parameters
    ----------
    X, y
        Samples [K, m, D], and integer labels [K, m] in 0 .. n_classes - 1; or booleans
        [K, m, n_classes], where several labels can be true of a sample.
    C, loss
        As in LinearSVC; the loss is "squared_hinge" or "hinge".
    valid
        Boolean [K, m]: samples that count, for clients with fewer than m; all when None.

    Raises
    ------
    UserError
        An option is out of bounds, shapes do not fit, or samples are not finite or too large.
    """
    if loss not in ("squared_hinge", "hinge"):
        raise UserError(f'loss is {loss!r}; use "squared_hinge" or "hinge"')
    if not 0 < C < np.inf:
        raise UserError(f"C is {C}; it must be positive and finite")
    X, y = np.asarray(X, np.float32), np.asarray(y)
    if X.ndim != 3 or 0 in X.shape or y.shape[:2] != X.shape[:2]:
        raise UserError(f"X {X.shape} and y {y.shape} must be [K, m, D] and [K, m], none empty")
    valid = np.ones(y.shape[:2], bool) if valid is None else np.asarray(valid)
    if valid.shape != y.shape[:2] or valid.dtype != bool:
        raise UserError(f"valid must be boolean of y's shape {y.shape[:2]}")
    Y = signs(y, n_classes, valid)
    if not valid.all():
        X = np.where(valid[..., None], X, 0)
    weights = np.empty((len(X), n_classes, X.shape[2] + 1), np.float32)
    if loss == "squared_hinge" and svm_primal.pays(*X.shape[1:]):
        _check(np.vecdot(X, X).max(axis=1), C)
        for k, (samples, targets) in enumerate(zip(X, Y)):
            weights[k] = svm_primal.fit_primal(samples, targets, float(C))
        return weights
    size = max(1, BLOCK // X.shape[1] ** 2)
    for start in range(0, len(X), size):
        block = slice(start, start + size)
        part = X[block].astype(np.float32 if loss == "squared_hinge" else float, copy=False)
        weights[block] = _fit(part, Y[block], valid[block], float(C), loss)
    return weights


def multiply_adds(m: int, n_features: int, n_classes: int) -> float:
    """Count the multiply-adds of a client's fit to m samples, in steps 1 and 2 and for the weights.

    They are the Gram matrix, a Cholesky factor and the inverse from it, the guess, and the weights
    from the dual. Newton's steps of the few other problems are left out. Fits in w are counted
    likewise, with the roles of samples and features exchanged.
    """
    small, large = sorted((m, n_features + 1))
    return small**2 * large + small**3 / 2 + n_classes * (GUESS_STEPS * small**2 + small * large)


def signs(y: np.ndarray, n_classes: int, valid: np.ndarray) -> np.ndarray:
    """Return targets [K, n_classes, m]: +1 for the class, -1 for the rest, 0 for left-out samples.

    Raises
    ------
    UserError
        ``y`` holds no labels of ``n_classes`` classes.
    """
    if y.ndim == 3:
        if y.dtype != bool or y.shape[2] != n_classes:
            raise UserError(f"y must be boolean [K, m, {n_classes}], got {y.dtype} {y.shape}")
        return np.where(y.swapaxes(1, 2), 1.0, -1.0) * valid[:, None]
    if y.dtype.kind not in "iu" or ((y < 0) | (y >= n_classes))[valid].any():
        raise UserError(f"y must hold integers from 0 to n_classes - 1 = {n_classes - 1}")
    return np.where(y[:, None] == np.arange(n_classes)[:, None], 1.0, -1.0) * valid[:, None]


def decision(weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the scores [K, n, n_classes] of samples X [K, n, D]."""
    weights, X = np.asarray(weights), np.asarray(X)
    if weights.ndim != 3 or X.ndim != 3 or X.shape[::2] != (len(weights), weights.shape[2] - 1):
        raise UserError(f"weights {weights.shape} and X {X.shape} must be [K, c, D+1], [K, n, D]")
    return X @ weights[:, :, :-1].mT + weights[:, None, :, -1]


def _fit(X: np.ndarray, Y: np.ndarray, valid: np.ndarray, C: float, loss: str) -> np.ndarray:
    """Return weights of a block of clients; those that float32 would blur are redone in float64."""
    with np.errstate(all="ignore"):
        G, ridge = (X @ X.mT).astype(float), 1 / (2 * C)
    largest = np.einsum("kii->ki", G).max(axis=1)
    _check(largest, C)
    G += valid[:, :, None] & valid[:, None, :]  # the constant feature
    eye = np.eye(len(G[0]))
    S = G + ridge * eye
    try:
        L = _inverse_lower(np.linalg.cholesky(S))
    except np.linalg.LinAlgError:
        if X.dtype == float:
            raise UserError(f"C = {C} is too large for these features; scale them") from None
        return _fit(X.astype(float), Y, valid, C, loss)
    L32 = L.astype(np.float32)
    inverse = L32.mT @ L32
    roundoff = np.finfo(np.float32).eps * largest * np.einsum("kii->ki", inverse).max(axis=1)
    blurred = (X.dtype == np.float32) & (roundoff > 2e-4)
    u = _guess(inverse, Y.astype(np.float32))
    state = ((u == 0) & (Y != 0)).astype(np.int8)
    # Classes that a client lacks have the same solution: solve for the first, copy it.
    absent, classes = ~(Y > 0).any(axis=2), np.arange(Y.shape[1])
    same = np.where(absent, absent.argmax(axis=1)[:, None], classes)
    live = (same == classes) & ~blurred[:, None]
    if loss == "hinge":
        for factor in SMOOTHING:
            r = np.maximum(factor * ridge, 1e-10 * largest)[:, None, None]
            a, state = _newton(G + r * eye, r, Y, C, live, state)
    else:
        a, certified = _certify(S, L, Y, u, ridge)
        live &= ~certified
        if live.any():
            a[live] = _newton(S, ridge, Y, np.finfo(float).max, live, state)[0][live]
    a = np.take_along_axis(a, same[..., None], axis=1)
    weights = np.concatenate([a.astype(X.dtype) @ X, a.sum(axis=2, keepdims=True)], axis=2)
    if blurred.any():
        parts = X[blurred].astype(float), Y[blurred], valid[blurred]
        weights[blurred] = _fit(*parts, C, loss)
    return weights


def _check(largest: np.ndarray, C: float) -> None:
    """Refuse samples whose largest squared lengths cannot be worked with."""
    if not np.isfinite(largest).all():
        raise UserError("X holds NaN, infinite or huge values; check the features")
    if (1e-12 * largest > 1 / (2 * C)).any():
        raise UserError(f"C = {C} is too large for features of this size; scale them")


def _certify(
    S: np.ndarray, L: np.ndarray, Y: np.ndarray, u: np.ndarray, ridge: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the dual solution for targets Y + u, made feasible, and where it is good enough."""
    a = (Y + u) @ L.mT @ L
    a[(u != 0) | (Y * a < 0)] = 0
    e = Y - a @ S
    norm2 = np.vecdot(a, Y - e - ridge * a)
    e[(a == 0) & (Y * e < 0)] = 0
    e = e @ L.mT
    return a, np.vecdot(e, e) <= RELATIVE_ERROR**2 * norm2


def _inverse_lower(L: np.ndarray) -> np.ndarray:
    """Invert lower triangular matrices by halves: mostly products, faster than LAPACK's."""
    n = L.shape[-1] // 2
    if n < 8:
        return np.linalg.inv(L)
    P, R, result = _inverse_lower(L[:, :n, :n]), _inverse_lower(L[:, n:, n:]), np.zeros_like(L)
    result[:, :n, :n], result[:, n:, n:], result[:, n:, :n] = P, R, -R @ (L[:, n:, :n] @ P)
    return result


def _guess(inverse: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Return shifts u of the targets after some projected Barzilai-Borwein steps, all float32."""
    low = np.where(Y < 0, -np.inf, 0).astype(np.float32)
    high = np.where(Y > 0, np.inf, 0).astype(np.float32)
    u, g = np.zeros_like(Y), Y @ inverse
    step = (1 / np.einsum("kii->ki", inverse).mean(axis=1))[:, None, None]
    tiny = np.float32(1e-30)
    with np.errstate(all="ignore"):
        for i in range(GUESS_STEPS):
            d = step * g
            np.subtract(u, d, out=d)
            np.maximum(d, low, out=d)
            np.minimum(d, high, out=d)
            d -= u
            q = d @ inverse
            dq = np.vecdot(d, q)
            step = dq / (np.vecdot(q, q) + tiny) if i % 2 else np.vecdot(d, d) / (dq + tiny)
            step = step[..., None]
            u += d
            g += q
    return np.where(np.isfinite(u), u, 0)


def _newton(
    S: np.ndarray,
    ridge: float | np.ndarray,
    Y: np.ndarray,
    bound: float,
    live: np.ndarray,
    state: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the dual solution a and the state (0 off, 1 free, 2 at the bound) of each sample."""
    a, d, live = np.zeros_like(Y), np.zeros_like(Y), live.copy()
    ridge = np.broadcast_to(ridge, (*live.shape, 1))
    a[live] = _solve(S, live, state, Y, bound)
    f, solved, state = a @ S - ridge * a, state, state.copy()
    for _ in range(MAX_NEWTON):
        s = (1 - Y[live] * f[live]) / ridge[live]
        state[live] = np.where(Y[live] == 0, 0, (s > 0) + (s >= bound).astype(np.int8))
        live &= (state != solved).any(axis=2)
        if not live.any():
            return a, state
        d[:] = 0
        d[live] = step = _solve(S, live, state, Y, bound) - a[live]
        change = (d @ S)[live] - ridge[live] * step  # of f
        t, matters = _line_search(Y[live], a[live], f[live], step, change, ridge[live], bound)
        a[live] += t * step
        f[live] += t * change
        solved = state.copy()
        solved[live] = np.where(t == 1, state[live], -1)
        live[live] = matters
    warnings.warn(f"{live.sum()} SVMs stopped after {MAX_NEWTON} Newton steps", stacklevel=4)
    return a, state


def _line_search(
    y: np.ndarray,
    a: np.ndarray,
    f: np.ndarray,
    d: np.ndarray,
    Gd: np.ndarray,
    ridge: np.ndarray,
    bound: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return steps 1, 1/2, 1/4, ... that decrease P enough (Armijo), and where steps matter."""

    def loss(f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        s = np.clip((1 - y * f) / ridge, 0, bound)
        return s, s * (1 - y * f - ridge / 2 * s)

    s, start = loss(f)
    linear, curve = np.vecdot(a, Gd), np.vecdot(d, Gd) / 2
    slope, t = linear - np.vecdot(y * s, Gd), np.ones_like(linear)
    # -slope >= |full step of w|^2: stop when that is small, or lost in the rounding of P.
    matters = -slope > (0.1 * RELATIVE_ERROR) ** 2 * np.vecdot(a, f) + 1e-13 * start.sum(axis=1)
    while True:
        change = t * linear + t**2 * curve + (loss(f + t[:, None] * Gd)[1] - start).sum(axis=1)
        poor = matters & (change > 1e-4 * t * slope) & (t > 1e-9)
        if not poor.any():
            return t[:, None], matters
        t[poor] /= 2


def _solve(
    S: np.ndarray, live: np.ndarray, state: np.ndarray, Y: np.ndarray, bound: float
) -> np.ndarray:
    """Solve the live problems for their dual variables, given the states.

    Free sets of one size are solved together.
    """
    client, free = np.nonzero(live)[0], (state == 1)[live]
    fixed = (state == 2) * Y * bound
    rhs = (Y - fixed @ S if fixed.any() else Y)[live]
    a, m, sizes = fixed[live], Y.shape[2], free.sum(axis=1)
    for n in np.unique(sizes[sizes > 0]):
        rows = np.nonzero(sizes == n)[0][:, None]
        index = np.nonzero(free[rows[:, 0]])[1].reshape(-1, n)
        flat = ((client[rows] * m + index) * m)[:, :, None] + index[:, None, :]
        a[rows, index] = np.linalg.solve(S.take(flat), rhs[rows, index][..., None])[..., 0]
    return a
