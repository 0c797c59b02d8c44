"""How well models and clusters do (Fed-REACT, section 4.2)."""

import numpy as np
from sklearn.metrics import rand_score

from fedreact.task_models import decision

__all__ = ["HeldOut", "rand_score"]


class HeldOut:
    """The clients' test samples, stacked so that all models are scored at once."""

    def __init__(self, features: np.ndarray, y: np.ndarray, test: list[np.ndarray]):
        """Gather ``features [N, D]`` and labels ``[N]`` at the K clients' test indices."""
        self.size = np.array([len(indices) for indices in test])
        at = np.zeros((len(test), self.size.max()), dtype=np.int64)
        for row, indices in zip(at, test):
            row[: len(indices)] = indices
        self.X = features[at]
        self.y = np.where(np.arange(at.shape[1]) < self.size[:, None], y[at], -1)

    def accuracy(self, weights: np.ndarray) -> np.ndarray:
        """Accuracy averaged over clients, each with its own model and test samples.

        Parameters
        ----------
        weights
            ``[M, K, c, D + 1]``: the models that the K clients hold under each of M methods.

        Returns
        -------
        numpy.ndarray
            ``[M]``.
        """
        M, K, c, _ = weights.shape
        stacked = weights.transpose(1, 0, 2, 3).reshape(K, M * c, -1)
        scores = decision(stacked, self.X).reshape(K, -1, M, c)
        correct = (scores.argmax(-1) == self.y[:, :, None]).sum(1)
        return (correct / self.size[:, None]).mean(0)
