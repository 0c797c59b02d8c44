"""The tasks of Phase 2: what clients fit in a round.

Fed-REACT (arXiv, section 4.1): the task model is a linear SVM for classification and a linear
regressor for regression.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fedreact.errors import UserError
from fedreact.kinds.clustered.contract import Clients
from fedreact.task_models import svm
from fedreact.task_models.descent import LocalClients
from fedreact.task_models.layer import fit_layer
from fedreact.task_models.ridge import fit_ridge


class LinearTask(Protocol):
    """What clients fit in a round.

    Attributes
    ----------
    n_outputs
        Rows c of a task model ``[c, D + 1]``.
    unit, centre
        What targets were divided by, after this was taken off; errors are measured in their unit.
    """

    n_outputs: int
    unit: float | np.ndarray
    centre: float | np.ndarray

    def fit(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        """Task models ``[K, c, D + 1]`` of samples ``[K, m, D]``, targets, validity ``[K, m]``."""

    def clients(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> Clients:
        """The client side, for methods in which the server sends models before local training."""

    def multiply_adds(self, m: int, n_features: int) -> float:
        """Those of a client's fit to m samples, in matrix products."""


@dataclass(frozen=True)
class Classification:
    """Linear SVMs of labels, one or several of which are true.

    See :func:`fedreact.task_models.svm.fit_linear_svm` for ``C`` and ``loss``.
    """

    n_outputs: int
    C: float = 1.0
    loss: str = "squared_hinge"
    unit: float = 1.0
    centre: float = 0.0

    def fit(self, X, y, valid):
        """One-vs-rest SVMs of each client."""
        return svm.fit_linear_svm(X, y, self.n_outputs, self.C, self.loss, valid)

    def clients(self, X, y, valid):
        """Clients that train SVMs by gradient descent."""
        return LocalClients(X, y, self.n_outputs, self.C, self.loss, valid)

    def multiply_adds(self, m, n_features):
        """See :func:`fedreact.task_models.svm.multiply_adds`."""
        return svm.multiply_adds(m, n_features, self.n_outputs)


@dataclass(frozen=True)
class Regression:
    """Linear regressors of standardised targets.

    Attributes
    ----------
    regressor
        ``sgd`` (:func:`fedreact.task_models.layer.fit_layer`), ``ridge``
        (:func:`fedreact.task_models.ridge.fit_ridge`), or no model at all, for reference: a
        client's ``mean``, or its ``last`` target.
    penalty
        Penalty of ridge.
    sgd
        Epochs, batch size and learning rate of sgd.
    seed
        Seed of the order of samples in sgd.
    """

    unit: float | np.ndarray = 1.0
    centre: float | np.ndarray = 0.0
    n_outputs: int = 1
    regressor: str = "ridge"
    penalty: float = 1.0
    sgd: tuple[int, int, float] = (100, 50, 1e-3)
    seed: int = 0

    def fit(self, X, y, valid):
        """One regression for each client."""
        if self.regressor == "sgd":
            return fit_layer(X, y, *self.sgd, self.seed, valid)
        if self.regressor == "ridge":
            return fit_ridge(X, y, self.penalty, valid)
        each = y[..., None] if y.ndim == 2 else y
        if self.regressor == "mean":
            constant = np.where(valid[..., None], each, 0).sum(1) / valid.sum(1, keepdims=True)
        else:
            last = valid.shape[1] - 1 - valid[:, ::-1].argmax(1)
            constant = each[np.arange(len(y)), last]
        weights = np.zeros((len(X), each.shape[2], X.shape[2] + 1), np.float32)
        weights[:, :, -1] = constant
        return weights

    def clients(self, X, y, valid):
        """No client side: the methods that need one train classifiers, and are skipped."""
        return _NoClients()

    def multiply_adds(self, m, n_features):
        """Epochs of steps (sgd), one system of equations (ridge), or none."""
        if self.regressor == "sgd":
            return 3 * self.sgd[0] * m * self.n_outputs * (n_features + 1)
        if self.regressor == "ridge":
            small, large = sorted((m, n_features))
            return small**2 * large + small**3 / 6 + m * n_features * self.n_outputs
        return 0.0


class _NoClients:
    def losses(self, models):
        raise UserError(
            "this method sends models to clients before they train, which is there for "
            "classification only; with a regression use Fed-REACT, SC+MMA or EC+MMA"
        )

    def train(self, start, learning_rate, steps):
        self.losses(start)
