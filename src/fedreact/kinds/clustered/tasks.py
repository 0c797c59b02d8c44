"""The tasks of Phase 2: models that clients fit in a round.

Fed-REACT (arXiv, section 4.1): the task model is a linear SVM for classification and a linear
regressor for regression.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fedreact.errors import UserError
from fedreact.kinds.clustered.contract import ClientSide
from fedreact.task_models import svm
from fedreact.task_models.descent import LocalClients
from fedreact.task_models.layer import fit_layer
from fedreact.task_models.ridge import fit_ridge, fit_ridge_cv


class LinearTask(Protocol):
    """The model that clients fit in a round.

    Targets are in units of ``unit``, after ``centre`` was subtracted. Errors are measured in the
    targets' own units.
    """

    @property
    def n_outputs(self) -> int:
        """Rows c of a task model ``[c, D + 1]``."""

    @property
    def unit(self) -> float | np.ndarray:
        """A number, or one for each target ``[c]``."""

    @property
    def centre(self) -> float | np.ndarray:
        """A number, or one for each target ``[c]``."""

    def fit(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        """Fit models ``[K, c, D + 1]`` to samples ``[K, m, D]``, targets, validity ``[K, m]``."""

    def clients(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> ClientSide:
        """Return the client side, for methods that send models before local training."""

    def multiply_adds(self, m: int, n_features: int) -> float:
        """Count multiply-adds of a client's fit to m samples, in matrix products."""


@dataclass(frozen=True)
class Classification:
    """Linear SVMs for labels, one or several of which are true.

    See :func:`fedreact.task_models.svm.fit_linear_svm` for ``C`` and ``loss``.
    """

    n_outputs: int
    C: float = 1.0
    loss: str = "squared_hinge"
    unit: float = 1.0
    centre: float = 0.0

    def fit(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        """Fit one-vs-rest SVMs of each client."""
        return svm.fit_linear_svm(X, y, self.n_outputs, self.C, self.loss, valid)

    def clients(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> ClientSide:
        """Return clients that train SVMs by gradient descent."""
        return LocalClients(X, y, self.n_outputs, self.C, self.loss, valid)

    def multiply_adds(self, m: int, n_features: int) -> float:
        """Count as :func:`fedreact.task_models.svm.multiply_adds` does."""
        return svm.multiply_adds(m, n_features, self.n_outputs)


@dataclass(frozen=True)
class Regression:
    """Linear regressors of standardised targets.

    Attributes
    ----------
    regressor
        ``sgd`` (:func:`fedreact.task_models.layer.fit_layer`), ``ridge`` and ``ridge-cv``
        (:mod:`fedreact.task_models.ridge`), or, as references without a model, a client's ``mean``
        or ``last`` target.
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

    def fit(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        """Fit a regression of each client."""
        if self.regressor == "sgd":
            epochs, batch_size, learning_rate = self.sgd
            return fit_layer(X, y, epochs, batch_size, learning_rate, self.seed, valid)
        if self.regressor == "ridge":
            return fit_ridge(X, y, self.penalty, valid)
        if self.regressor == "ridge-cv":
            return fit_ridge_cv(X, y, valid)
        if valid is None:
            valid = np.ones(y.shape[:2], dtype=bool)
        each = y[..., None] if y.ndim == 2 else y
        if self.regressor == "mean":
            constant = np.where(valid[..., None], each, 0).sum(1) / valid.sum(1, keepdims=True)
        else:
            last = valid.shape[1] - 1 - valid[:, ::-1].argmax(1)
            constant = each[np.arange(len(y)), last]
        weights = np.zeros((len(X), each.shape[2], X.shape[2] + 1), np.float32)
        weights[:, :, -1] = constant
        return weights

    def clients(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> ClientSide:
        """Return a client side that refuses: methods that need one train classifiers."""
        return _NoClientSide()

    def multiply_adds(self, m: int, n_features: int) -> float:
        """Count epochs of steps (sgd), one system of equations (ridge), or nothing."""
        if self.regressor == "sgd":
            return 3 * self.sgd[0] * m * self.n_outputs * (n_features + 1)
        if self.regressor in ("ridge", "ridge-cv"):
            small, large = sorted((m, n_features))
            solving = small**3 / 6 if self.regressor == "ridge" else 9 * small**3
            return small**2 * large + solving + m * n_features * self.n_outputs
        return 0.0


class _NoClientSide:
    """Clients of a regression, which refuse models before their training."""

    def losses(self, models: np.ndarray) -> np.ndarray:
        raise UserError(
            "this method sends models to clients before they train, which is there for "
            "classification only; with a regression use Fed-REACT, SC+MMA or EC+MMA"
        )

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        return self.losses(start)
