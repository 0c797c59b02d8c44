"""Ridge regression on the flattened window of each task alone, a linear baseline.

In no paper. Labels are fitted as 1 and -1, and are true where the fit is above 0. On inputs and
targets less their means,

    w = (X' X + penalty I)^-1 X' y = X' (X X' + penalty I)^-1 y,

of which the second is used where there are fewer windows than inputs T D, as of ExtraSensory.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedreact.kinds.split.contract import Fitted
from fedreact.options import Positive
from fedreact.task import Task


@dataclass(frozen=True)
class Ridge(Fitted):
    """Linear, on all steps of a window.

    Attributes
    ----------
    penalties
        Candidate penalties; each client uses the one with the smallest squared error on its
        validation windows.
    """

    penalties: tuple[Positive, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)

    def fit(
        self, train: np.ndarray, y: np.ndarray, held: np.ndarray, y_held: np.ndarray
    ) -> Callable[[np.ndarray], np.ndarray]:
        """Fit with each penalty, and return the predictor with the best one."""
        X, other = (x.reshape(len(x), -1).astype(float) for x in (train, held))
        mean, centre = X.mean(0), y.mean(0)
        X, other, y = X - mean, other - mean, y - centre
        dual = len(X) < X.shape[1]
        values, vectors = np.linalg.eigh(X @ X.T if dual else X.T @ X)
        rotated = vectors.T @ (y if dual else X.T @ y)
        best, least = np.zeros((X.shape[1], y.shape[1])), np.inf
        for penalty in self.penalties:
            solved = vectors @ (rotated / (np.maximum(values, 0) + penalty)[:, None])
            weights = X.T @ solved if dual else solved
            error = float(((other @ weights + centre - y_held) ** 2).mean())
            if error < least:
                best, least = weights, error
        return lambda x: (x.reshape(len(x), -1) - mean) @ best + centre

    def gflops(self, task: Task, n_train: int) -> float:
        """Count the product of windows, its eigenvectors, and the weights of each penalty."""
        F, n = task.steps * task.channels, n_train
        m, each = min(F, n), len(self.penalties)
        return (2 * F * n * m + 9 * m**3 + each * 2 * task.outputs * (m * m + F * n)) / 1e9


ALGORITHM = Ridge
