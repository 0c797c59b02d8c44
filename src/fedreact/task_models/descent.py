"""Gradient descent on linear SVMs of all clients together: local training in IFCA, FLSC, FLACC.

These methods send models to clients, which train them further. The objective P(w) is that of the
exact fits in :mod:`fedreact.task_models.svm`; with Y = +-1 and scores f = X w, a step is

    w <- (1 - eta) w + eta X' g,    g_i = 2 C y_i max(0, 1 - y_i f_i)  (squared hinge)
                                    g_i = C y_i [y_i f_i < 1]          (hinge: a subgradient)

Hence w = (1 - eta)^s w_0 + X' a after s steps, and with the Gram matrix G = X X' a step needs no
features: f <- (1 - eta) f + eta G g, and a likewise without G.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fedreact.errors import UserError
from fedreact.task_models.svm import signs

SQUARINGS = 6


class _Training(NamedTuple):
    """A training of all clients, and the models ``[K, P]`` that it led to."""

    learning_rate: float
    steps: int
    start: np.ndarray
    models: np.ndarray

    def is_of(self, start: np.ndarray, learning_rate: float, steps: int) -> bool:
        """Tell whether this is the training with these arguments."""
        same = (self.learning_rate, self.steps) == (learning_rate, steps)
        return same and np.array_equal(self.start, start)


class LocalClients:
    """The client side of a round (:class:`fedreact.kinds.clustered.contract.ClientSide`).

    Nothing is computed before a method asks, so methods that do not ask pay nothing.

    Parameters
    ----------
    X, y
        Samples ``float32 [K, m, D]`` and labels ``int [K, m]`` in 0 .. n_classes - 1, or booleans
        ``[K, m, n_classes]``.
    n_classes
        c; models are flat ``[c (D + 1)]``, class by class, intercept last.
    C, loss, valid
        As in :func:`fedreact.task_models.svm.fit_linear_svm`.
    """

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        n_classes: int,
        C: float = 1.0,
        loss: str = "squared_hinge",
        valid: np.ndarray | None = None,
    ):
        if loss not in ("squared_hinge", "hinge"):
            raise UserError(f'loss is {loss!r}; use "squared_hinge" or "hinge"')
        if not 0 < C < np.inf:
            raise UserError(f"C is {C}; it must be positive and finite")
        self._samples, self._y, self._C, self._loss = X, y, np.float32(C), loss
        self._n_classes = n_classes
        self._valid = np.ones(y.shape[:2], bool) if valid is None else valid
        self._last: _Training | None = None  # the last one only: more would be memory

    def losses(self, models: np.ndarray) -> np.ndarray:
        """Compute the losses ``[K, M]`` of models ``[M, P]`` on each client's samples.

        Hinges or squared hinges, summed over classes, averaged over samples. There is no
        regulariser: the question is whose data a model fits.
        """
        (K, m, D), c = self._X.shape, self._n_classes
        weights = np.asarray(models, np.float32).reshape(-1, D + 1)
        # A product for all models, but one of each client: its bits do not depend on the others.
        v = self._X @ weights[:, :-1].T
        v += weights[:, -1]
        v = v.reshape(K, m, -1, c)
        v *= -self._Y.mT[:, :, None]
        v += self._valid[:, :, None, None]
        np.maximum(v, 0, out=v)
        total = (v if self._loss == "hinge" else np.square(v, out=v)).sum(3).sum(1)
        return total / np.maximum(self._valid.sum(1), 1)[:, None]

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        """Train models ``float32 [K, P]`` by full-batch gradient steps from ``start [K, P]``.

        Parameters
        ----------
        learning_rate
            In units of 1/L_k, where L_k = 1 + 2 C lambda_max(G_k) bounds the curvature of client
            k's objective: below 2 the squared hinge decreases, whatever the features. The hinge
            is not smooth; it takes the same steps, so that the loss is all that differs, but they
            need not decrease it.

        Returns
        -------
        np.ndarray
            Read only: methods that ask for the same training one after the other, as IFCA does
            with and without memory, share it.

        Raises
        ------
        UserError
            The learning rate or the number of steps is out of bounds.
        """
        numbers = type(learning_rate) in (int, float) and type(steps) is int
        if not numbers or not 0 < learning_rate < np.inf or steps < 1:
            raise UserError(
                f"learning rate {learning_rate}, steps {steps}: the rate must be positive and "
                "finite, steps at least 1"
            )
        (K, _, D), Y = self._X.shape, self._Y
        start = np.array(start, np.float32).reshape(K, self._n_classes, D + 1)
        last = self._last
        if last is not None and last.is_of(start, learning_rate, steps):
            return last.models
        eta = (learning_rate / self._curvature)[:, None, None].astype(np.float32)
        keep, gain = 1 - eta, eta * self._C * (1 if self._loss == "hinge" else 2)
        f, a = start[:, :, :-1] @ self._X.mT + start[:, :, -1:], np.zeros_like(Y)
        G, g, change = gain * self._G, np.empty_like(Y), np.empty_like(Y)
        for _ in range(steps):  # no step allocates; g and a are in units of gain
            np.multiply(Y, f, out=g)
            if self._loss == "hinge":
                np.multiply(g < 1, Y, out=g)
            else:
                np.subtract(1, g, out=g)
                np.maximum(g, 0, out=g)
                g *= Y
            f *= keep
            f += np.matmul(g, G, out=change)
            a *= keep
            a += g
        a *= gain
        result = keep**steps * start
        result[:, :, :-1] += a @ self._X
        result[:, :, -1] += a.sum(2)
        result = result.reshape(K, -1)
        result.flags.writeable = False
        self._last = _Training(learning_rate, steps, start, result)
        return result

    @cached_property
    def _X(self) -> np.ndarray:
        X = np.asarray(self._samples, np.float32)
        return X if self._valid.all() else np.where(self._valid[..., None], X, np.float32(0))

    @cached_property
    def _Y(self) -> np.ndarray:
        """Targets ``[K, c, m]``: +1 for the class, -1 for the rest, 0 for a sample left out."""
        return signs(self._y, self._n_classes, self._valid).astype(np.float32)

    @cached_property
    def _G(self) -> np.ndarray:
        """Gram matrices ``[K, m, m]`` with the constant feature."""
        return self._X @ self._X.mT + (self._valid[:, :, None] & self._valid[:, None, :])

    @cached_property
    def _curvature(self) -> np.ndarray:
        """Upper bounds ``[K]`` of L_k, at most 7 % too high for m = 64 (see largest_eigenvalue)."""
        return 1 + 2 * float(self._C) * largest_eigenvalue(self._G)


def largest_eigenvalue(G: np.ndarray) -> np.ndarray:
    """Bound the largest eigenvalue of positive semidefinite ``[K, m, m]`` closely from above.

    (trace G^q)^(1/q) with q = 2^SQUARINGS is at most m^(1/q) too large. Matrix products are much
    faster than eigenvalues, and a power iteration would bound from below, where steps may diverge.
    """
    log = np.zeros(len(G))
    for i in range(SQUARINGS):
        size = np.maximum(np.linalg.norm(G, axis=(1, 2)), np.finfo(np.float32).tiny)
        log += np.log(size) / 2**i
        G = G / size[:, None, None].astype(G.dtype)  # no power over- or underflows
        G = G @ G
    return np.exp(log)
