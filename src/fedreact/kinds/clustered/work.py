"""Compute of clients in Phase 2, in multiply-adds: exact fits, steps of descent, losses of models.

The rule is that of :mod:`fedreact.studies.costs`: matrix products count, and nothing else. A step
of gradient descent takes three times the products of the loss, as in all other training here. It
counts as a step over samples and features, although :mod:`fedreact.task_models.descent` computes
it faster from Gram matrices.
"""

import numpy as np

from fedreact.kinds.clustered.contract import Clients
from fedreact.kinds.clustered.tasks import LinearTask


class CountedClients:
    """The clients of a round, which count what one method asks them to compute.

    Parameters
    ----------
    clients
        The client side that answers.
    task
        What clients fit.
    n_samples, present
        ``[K]``: samples of each client, and who takes part. Only work of those is counted.
    n_features
        D, without the intercept.
    """

    def __init__(
        self,
        clients: Clients,
        task: LinearTask,
        n_samples: np.ndarray,
        present: np.ndarray,
        n_features: int,
    ):
        self._clients, self._task = clients, task
        self._samples, self._n_features = n_samples * present, n_features
        self._asked, self._trained = 0.0, False

    def losses(self, models: np.ndarray) -> np.ndarray:
        """As :meth:`fedreact.kinds.clustered.contract.Clients.losses`."""
        self._asked += len(models) * self._loss
        return self._clients.losses(models)

    def train(self, start: np.ndarray, learning_rate: float, steps: int) -> np.ndarray:
        """As :meth:`fedreact.kinds.clustered.contract.Clients.train`."""
        self._asked, self._trained = self._asked + 3 * steps * self._loss, True
        return self._clients.train(start, learning_rate, steps)

    @property
    def _loss(self):
        """Multiply-adds of the loss of one model on a client's samples: the mean over K clients."""
        return self._samples.mean() * self._task.n_outputs * (self._n_features + 1)

    @property
    def multiply_adds(self) -> float:
        """What a client computes in this round: the mean over all K clients.

        A client either trains a model that it receives, or makes an exact fit. The fit of a method
        that needs both, as IFCA does once where it starts from clients' models, is left out.
        """
        if self._trained:
            return self._asked
        fits = [self._task.multiply_adds(m, self._n_features) for m in self._samples.tolist() if m]
        return self._asked + sum(fits) / len(self._samples)
