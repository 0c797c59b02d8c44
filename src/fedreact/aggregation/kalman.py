"""A3: Kalman smoothing with expectation maximisation (Fed-REACT, section 2 and appendix B).

A series of task models y_1 ... y_N is a noisy observation of a hidden state::

    x_t = f x_{t-1} + q_t,   q_t ~ N(0, q I)         (eq. 7)
    y_t = x_t + r_t,         r_t ~ N(0, r I)         (eq. 8 with H = I)
    x_0 ~ N(mu_0, p_0 I)

Every covariance is a multiple of I and stays one, so a number stands for it below. Arrays have the
time first: one series is ``[N, P]``, many at once are ``[N, C, P]``, written ``[N, ..., P]``.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fedreact.errors import UserError

LEARN = ("none", "qr", "fqr")
SMALLEST = 1e-30  # q and r: observations that are all the same would drive them to 0
DEPENDENT = 1e-13  # share of a squared norm below which what is left after projection is rounding


class Model(NamedTuple):
    """Parameters f, q, r, p_0 (numbers, or ``[...]`` by series) and mu_0 ``[..., P]``."""

    f: np.ndarray
    q: np.ndarray
    r: np.ndarray
    p0: np.ndarray
    mu0: np.ndarray


class Filtered(NamedTuple):
    """Moments given the past: t = 0 ... N in the first two, t = 1 ... N in the others.

    x_t^+ ``[N + 1, ..., P]``, P_t^+ ``[N + 1, ...]``, P_t^- ``[N, ...]``, K_t ``[N, ...]``.
    """

    mean: np.ndarray
    var: np.ndarray
    predicted_var: np.ndarray
    gain: np.ndarray


class Smoothed(NamedTuple):
    """Moments given all N observations.

    x_{t|N} ``[N + 1, ..., P]`` and P_{t|N} ``[N + 1, ...]`` for t = 0 ... N; P_{t,t-1|N}
    ``[N, ...]`` for t = 1 ... N.
    """

    mean: np.ndarray
    var: np.ndarray
    lag_one: np.ndarray


def kalman_filter(y: np.ndarray, model: Model, observed: np.ndarray | None = None) -> Filtered:
    """Filter observations by eqs. 9-13.

    Parameters
    ----------
    y
        ``[N, ..., P]`` observations.
    model
        Parameters f, q, r, p_0 and mu_0.
    observed
        ``bool [N, ...]``; where False, K_t = 0 and the row of ``y`` (finite) plays no part.
    """
    f, q, r, p0, mu0 = _columns(model)
    information = np.broadcast_to(1 / r, (*y.shape[:-1], 1))
    if observed is not None:
        information = information * observed[..., None]  # infinite noise
    precision = np.empty((len(y) + 1, *y.shape[1:-1], 1))  # 1 / P_t^+
    predicted = np.empty_like(precision[1:])
    precision[0] = 1 / p0
    f2 = f * f
    for before, now, after, one_over_r in zip(precision, predicted, precision[1:], information):
        np.divide(f2, before, out=now)
        now += q  # eq. 10
        np.reciprocal(now, out=after)
        after += one_over_r  # eqs. 11 and 13: 1 / P^+ = 1 / P^- + 1 / r
    var = 1 / precision
    gain = var[1:] * information
    mean = _recursion(mu0, f * var[1:] / predicted, gain * y)  # eqs. 9 and 12: f (1 - K_t)
    return Filtered(mean, var[..., 0], predicted[..., 0], gain[..., 0])


def rts_smoother(filtered: Filtered, model: Model) -> Smoothed:
    """Smooth filtered moments (Rauch-Tung-Striebel, eqs. 14-16), with lag-one covariances.

    Eq. 18 as printed, ``P_{t,t-1|N} = P_{t-1}^+ G_{t-1}``, is not the covariance: for N = 2 and
    f = q = r = p_0 = 1 it gives P_{1,0|2} = 1/2, where the inverse of the posterior precision has
    1/4. The identity ``P_{t,t-1|N} = P_{t|N} G_{t-1}^T`` is exact for every t, equals the recursion
    of Shumway & Stoffer (1982), and for t = N is eq. 17.
    """
    f, var = _columns(model).f, filtered.var[..., None]
    G = f * var[:-1] / filtered.predicted_var[..., None]  # eq. 14
    # Eqs. 15 and 16 with x_t^- = f x_{t-1}^+ and G_{t-1} P_t^- = f P_{t-1}^+ put in.
    own = 1 - f * G
    mean = _recursion(filtered.mean[-1], G[::-1], (own * filtered.mean[:-1])[::-1])[::-1]
    var = _recursion(var[-1], (G * G)[::-1], (own * var[:-1])[::-1])[::-1]
    return Smoothed(mean, var[..., 0], (G * var[1:])[..., 0])


def _columns(model: Model) -> Model:
    """Give the numbers a last axis of 1, to multiply ``[..., P]``."""
    f, q, r, p0 = (np.asarray(value)[..., None] for value in model[:-1])
    return Model(f, q, r, p0, model.mu0)


def _recursion(start: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute ``x_0 = start, x_t = a_t x_{t-1} + b_t`` for ``a [N, ..., 1]`` and ``b [N, ..., P]``.

    EM spends most of its time here.
    """
    x = np.empty((len(b) + 1, *b.shape[1:]))
    x[0] = start
    for before, now, a_t, b_t in zip(x, x[1:], a, b):
        np.multiply(a_t, before, out=now)
        now += b_t
    return x


def em_step(
    y: np.ndarray,
    model: Model,
    observed: np.ndarray | None = None,
    learn: str = "qr",
    dimension: int | None = None,
) -> Model:
    """Take one iteration of EM, eqs. 19-24, among models with F = f I, Q = q I and R = r I.

    The maxima are ``f = tr B / tr A``, ``q = tr(C - f B - f B^T + f^2 A) / (N P)`` and r the trace
    of eq. 21 over P. The sums of eq. 21 run over the rounds that were observed.

    Parameters
    ----------
    y, model, observed
        As for :func:`kalman_filter`.
    learn
        ``none``, ``qr`` or ``fqr``: which parameters are renewed. mu_0 and p_0 are kept.
    dimension
        P, where ``y`` holds coordinates in a subspace that has mu_0 and every observation in it.
    """
    if learn == "none":
        return model
    P = y.shape[-1] if dimension is None else dimension
    mean, var, lag_one = rts_smoother(kalman_filter(y, model, observed), model)
    f = model.f
    if learn == "fqr":
        A = P * var[:-1].sum(0) + _squares(mean[:-1]).sum(0)  # trace of eq. 22
        B = P * lag_one.sum(0) + np.vecdot(mean[1:], mean[:-1]).sum(0)  # eq. 23
        f = B / np.maximum(A, SMALLEST)  # eq. 19
    # Sums of squared differences: C - 2 f B + f^2 A would cancel.
    moves = _squares(mean[1:] - np.asarray(f)[..., None] * mean[:-1])
    q = (moves / P + var[1:] + f * f * var[:-1] - 2 * f * lag_one).mean(0)  # eq. 20
    if observed is None:
        observed = np.ones(y.shape[:-1], dtype=bool)
    n_observed = observed.sum(0)
    errors = _squares(y - mean[1:]) / P + var[1:]
    r = (errors * observed).sum(0) / np.maximum(n_observed, 1)  # eq. 21
    r = np.where(n_observed > 0, r, model.r)
    return model._replace(f=f, q=np.maximum(q, SMALLEST), r=np.maximum(r, SMALLEST))


def _squares(x: np.ndarray) -> np.ndarray:
    return np.vecdot(x, x)


def first_observation(y: np.ndarray, observed: np.ndarray) -> np.ndarray:
    """Return mu_0 ``[..., P]``: the first of ``y [N, ..., P]`` that was observed."""
    return np.take_along_axis(y, observed.argmax(0)[None, ..., None], 0)[0]


class History(NamedTuple):
    """Memory of A3: C series after t rounds.

    Attributes
    ----------
    models
        t arrays ``float64 [C, P]``; rows that were not observed are 0.
    coordinates
        ``[t, C, t]`` of the models in an orthonormal basis of their span, lower triangular for
        each series. The model is isotropic: filter, smoother and EM commute with rotations.
    observed
        ``bool [t, C]``.
    """

    models: tuple[np.ndarray, ...]
    coordinates: np.ndarray
    observed: np.ndarray


def remember(history: History | None, models: np.ndarray, observed: np.ndarray) -> History:
    """Append a round: one more row of the Cholesky factor of the Gram matrix, O(t C P)."""
    models = np.where(observed[:, None], models, np.zeros(1))  # float64
    if history is None:
        C = len(models)
        history = History((), np.zeros((0, C, 0)), np.zeros((0, C), dtype=bool))
    t = len(history.models)
    L = np.zeros((t + 1, len(models), t + 1))
    L[:t, :, :t] = history.coordinates
    if t:
        products = np.stack([np.vecdot(past, models) for past in history.models], -1)
        factor = history.coordinates.swapaxes(0, 1).copy()
        pivots = np.einsum("ctt->ct", factor)  # a view
        independent = pivots > 0
        pivots[~independent] = 1  # no basis vector: its column is 0, and so is the coordinate
        row = np.linalg.solve(factor, products[..., None])[..., 0]
        L[t, :, :t] = np.where(independent, row, 0.0)
    norm = _squares(models)
    residual = norm - _squares(L[t])
    L[t, :, t] = np.sqrt(np.where(residual > DEPENDENT * norm, residual, 0.0))
    return History((*history.models, models), L, np.vstack([history.observed, observed]))


@dataclass(frozen=True)
class KalmanSmoothing:
    """A3 under the contract of :class:`~fedreact.aggregation.temporal.Aggregation`.

    ``alpha`` plays no part.

    In every round EM starts from the configured r and q, f = 1, on the whole history; the estimate
    is x_{t|t}. mu_0 is the series' first observation: a mean of 0 would shrink the models.

    Attributes
    ----------
    r, q, p0
        Variances of observation noise, state noise and x_0; r and q are where EM starts.
    learn
        Parameters that EM learns: ``none``, ``qr`` or ``fqr``. With f learnt, models whose squared
        norm is small beside P p0 shrink: EM explains the spread of x_0 by f far below 1.
    iterations
        EM iterations per round. On simulated walks 10 bring q / r near 1 from any start; the
        maximum takes about 100.
    """

    r: float = 1.0
    q: float = 0.1
    p0: float = 1.0
    learn: str = "qr"
    iterations: int = 10

    def __post_init__(self):
        for name in ("r", "q", "p0"):
            value = getattr(self, name)
            if not (value >= SMALLEST and np.isfinite(value)):
                raise UserError(f"A3: {name} is {value}; it must be a positive number")
        if self.learn not in LEARN:
            raise UserError(f"A3: learn is {self.learn!r}; known: {', '.join(LEARN)}")
        if not (isinstance(self.iterations, int) and self.iterations >= 0):
            raise UserError(f"A3: iterations is {self.iterations!r}; it must be 0, 1, 2, ...")

    def __call__(
        self, memory: History | None, models: np.ndarray, alpha: float, observed: np.ndarray
    ) -> tuple[History, np.ndarray]:
        """Return the history with this round and the estimates ``[C, P]``."""
        history = remember(memory, models, observed)
        weights = self.weights(history)
        # mu_0 is the first observation, so its weight is that observation's too.
        first, series = history.observed.argmax(0), np.arange(len(models))
        weights[first + 1, series] += weights[0]
        estimate = np.zeros_like(history.models[-1])
        for w, past in zip(weights[1:], history.models):
            estimate += w[:, None] * past
        return history, np.where(history.observed.any(0).reshape(-1, 1), estimate, models)

    def weights(self, history: History) -> np.ndarray:
        """Return weights ``[t + 1, C]`` of mu_0, y_1 ... y_t in x_{t|t}, with what EM learnt."""
        model = self.fit(history)
        gain = kalman_filter(history.coordinates, model, history.observed).gain
        later = np.cumprod((model.f * (1 - gain))[::-1], 0)[::-1]  # what later rounds keep
        ones = np.ones_like(gain[:1])
        return np.concatenate([later, ones]) * np.concatenate([ones, gain])

    def fit(self, history: History) -> Model:
        """Return the model that EM reaches: f, q, r ``[C]``, and mu_0 in coordinates."""
        y, observed = history.coordinates, history.observed
        f, q, r, p0 = (np.full(y.shape[1], value) for value in (1.0, self.q, self.r, self.p0))
        model = Model(f, q, r, p0, first_observation(y, observed))
        for _ in range(self.iterations):
            model = em_step(y, model, observed, self.learn, history.models[0].shape[-1])
        return model
