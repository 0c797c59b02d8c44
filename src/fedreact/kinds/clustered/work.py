"""Compute of clients in Phase 2, in multiply-adds: exact fits, steps of descent, losses of models.

The rule is that of :mod:`fedreact.studies.costs`: matrix products count, and nothing else. A step
of gradient descent takes three times the products of the loss, as in all other training here. It
counts as a step over samples and features, although :mod:`fedreact.task_models.descent` computes
it faster from Gram matrices.
"""

import numpy as np

from fedreact.kinds.clustered.contract import ClientSide
from fedreact.kinds.clustered.tasks import LinearTask


class CountedClients:
    """The clients of a round, which count the computations that one method asks for.

    Parameters
    ----------
    clients
        The client side that answers.
    task
        Model that clients fit.
    n_samples, present
        ``[K]``: samples of each client, and whether it takes part. Others' work does not count.
    n_features
        D, without the intercept.
    """

    def __init__(
        self,
        clients: ClientSide,
        task: LinearTask,
        n_samples: np.ndarray,
        present: np.ndarray,
        n_features: int,
    ):
        self._clients, self._task = clients, task
        self._samples, self._n_features = n_samples * present, n_features
        self._products, self._trained = 0.0, False

    def losses(self, models: np.ndarray) -> np.ndarray:
        """Compute as :meth:`fedreact.kinds.clustered.contract.ClientSide.losses` does."""
        self._products += len(models) * self._loss
        return self._clients.losses(models)

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        """Train as :meth:`fedreact.kinds.clustered.contract.ClientSide.train` does."""
        self._products, self._trained = self._products + 3 * steps * self._loss, True
        return self._clients.train(start, learning_rate, steps)

    @property
    def _loss(self) -> float:
        """Multiply-adds of the loss of one model on a client's samples: the mean over K clients."""
        return self._samples.mean() * self._task.n_outputs * (self._n_features + 1)

    @property
    def multiply_adds(self) -> float:
        """Multiply-adds of a client in this round: the mean over all K clients.

        A client either trains a model that it receives, or makes an exact fit. The fit of a method
        that needs both, as IFCA does once where it starts from clients' models, is left out.
        """
        if self._trained:
            return self._products
        fits = [self._task.multiply_adds(m, self._n_features) for m in self._samples.tolist() if m]
        return self._products + sum(fits) / len(self._samples)
