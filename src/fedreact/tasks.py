"""The two tasks of Phase 2: what clients fit in a round, and how their models are scored.

Fed-REACT (arXiv, section 4.1): the task model is a linear SVM for classification and a linear
regressor for regression.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fedreact.errors import UserError
from fedreact.linear_regression import fit_ridge
from fedreact.local_training import LocalClients
from fedreact.methods.contract import Clients
from fedreact.scoring import HeldOut
from fedreact.task_models import fit_linear_svm

REGRESSORS = ("ridge", "mean", "last")


class Task(Protocol):
    """What clients fit in a round, and how it is scored.

    Attributes
    ----------
    metric
        Name of the score, ``accuracy`` or ``rmse``.
    n_outputs
        Rows c of a task model ``[c, D + 1]``.
    """

    metric: str
    n_outputs: int

    def fit(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> np.ndarray:
        """Task models ``[K, c, D + 1]`` of samples ``[K, m, D]``, targets, validity ``[K, m]``."""

    def clients(self, X: np.ndarray, y: np.ndarray, valid: np.ndarray | None) -> Clients:
        """The client side, for methods in which the server sends models before local training."""

    def scores(self, held_out: HeldOut, models: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Score ``[K]`` of each client's model ``[K, c, D + 1]`` under its weights ``[K, N]``."""

    def worst(self, scores: list[float]) -> float:
        """Worst of some scores."""


@dataclass(frozen=True)
class Classification:
    """Linear SVMs; see :func:`fedreact.task_models.fit_linear_svm` for ``C`` and ``loss``."""

    n_outputs: int
    C: float = 1.0
    loss: str = "squared_hinge"
    metric: str = "accuracy"

    def fit(self, X, y, valid):
        """One-vs-rest SVMs of each client."""
        return fit_linear_svm(X, y, self.n_outputs, self.C, self.loss, valid)

    def clients(self, X, y, valid):
        """Clients that train SVMs by gradient descent."""
        return LocalClients(X, y, self.n_outputs, self.C, self.loss, valid)

    def scores(self, held_out, models, weights):
        """Accuracy of each client."""
        return held_out.accuracy(models, weights)

    def worst(self, scores):
        """Smallest accuracy."""
        return min(scores)


@dataclass(frozen=True)
class Regression:
    """Linear regressors of standardised targets.

    Attributes
    ----------
    unit
        What the targets were divided by; errors are multiplied by it.
    penalty
        See :func:`fedreact.linear_regression.fit_ridge`.
    regressor
        ``ridge``, or no model at all, for reference: a client's ``mean``, or its ``last`` target.
    """

    unit: float = 1.0
    penalty: float = 1.0
    regressor: str = "ridge"
    n_outputs: int = 1
    metric: str = "rmse"

    def __post_init__(self):
        if self.regressor not in REGRESSORS:
            raise UserError(f"regressor is {self.regressor!r}; use {', '.join(REGRESSORS)}")

    def fit(self, X, y, valid):
        """One regression for each client."""
        if self.regressor == "ridge":
            return fit_ridge(X, y, self.penalty, valid)
        if self.regressor == "mean":
            constant = np.where(valid, y, 0).sum(1) / valid.sum(1)
        else:
            constant = y[np.arange(len(y)), valid.shape[1] - 1 - valid[:, ::-1].argmax(1)]
        weights = np.zeros((len(X), 1, X.shape[2] + 1), np.float32)
        weights[:, 0, -1] = constant
        return weights

    def clients(self, X, y, valid):
        """No client side: the methods that need one train classifiers."""
        return _NoClients()

    def scores(self, held_out, models, weights):
        """Root mean square error of each client."""
        return self.unit * held_out.rmse(models, weights)

    def worst(self, scores):
        """Largest error."""
        return max(scores)


class _NoClients:
    def losses(self, models):
        raise UserError(
            "this method sends models to clients before they train, which is there for "
            "classification only; with a regression use Fed-REACT, SC+MMA or EC+MMA"
        )

    def train(self, start, learning_rate, steps):
        self.losses(start)
