"""How well models and clusters do (Fed-REACT, section 4.2)."""

import numpy as np


def rand_score(truth: np.ndarray, found: np.ndarray) -> float:
    """Share of pairs of clients that are together or apart in both clusterings (ICLR, 4.1.2).

    scikit-learn's function of this name gives the same; importing it takes longer than a round.
    """
    if len(truth) < 2:
        return 1.0
    both = np.zeros((np.max(truth) + 1, np.max(found) + 1))
    np.add.at(both, (truth, found), 1)
    together = (both**2).sum()
    differ = (both.sum(0) ** 2).sum() + (both.sum(1) ** 2).sum() - 2 * together
    return float(1 - differ / (len(truth) * (len(truth) - 1)))


class HeldOut:
    """Test samples, and the scores of clients' models on each client's share of them.

    Attributes
    ----------
    y
        ``[N]`` labels or targets.
    """

    def __init__(self, features: np.ndarray, y: np.ndarray, seed: int = 0):
        """Take ``features [N, D]`` and labels ``[N]`` of the samples that anyone is tested on."""
        ones = np.ones((len(features), 1), dtype=np.float32)
        self.X = np.concatenate([features, ones], axis=1, dtype=np.float32)
        self.y = y
        self.rng = np.random.default_rng(seed)

    def accuracy(self, models: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Accuracy of each client's model on its test distribution.

        Parameters
        ----------
        models
            ``[K, c, D + 1]``: the model that each client holds.
        weights
            ``[K, N]``: the weight of each sample for each client; rows sum to 1.

        Returns
        -------
        numpy.ndarray
            ``[K]``.
        """
        return self._means(models, weights, lambda found: found.argmax(1) == self.y)

    def rmse(self, models: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Root mean square error ``[K]`` of models ``[K, 1, D + 1]``, in units of ``y``."""
        return self._means(models, weights, lambda found: (found[:, 0] - self.y) ** 2) ** 0.5

    def _means(self, models, weights, quantity):
        """Weighted mean, for each client, of a quantity ``[M, N]`` of outputs ``[M, c, N]``."""
        first, which = self._distinct(models.reshape(len(models), -1))
        scores = models[first].reshape(-1, self.X.shape[1]).astype(np.float32) @ self.X.T
        values = quantity(scores.reshape(len(first), models.shape[1], -1)).astype(float)
        return (weights @ values.T)[np.arange(len(which)), which]

    def _distinct(self, models):
        """First index of each distinct model, and which of them each client holds.

        Most clients of a cluster hold the same model. Two models that differ are told apart by
        their products with random vectors.
        """
        probes = self.rng.standard_normal((models.shape[1], 4)).astype(models.dtype)
        _, first, which = np.unique(models @ probes, axis=0, return_index=True, return_inverse=True)
        return first, which.ravel()


def client_scores(forward, weights, X, y, tests, batch=256) -> np.ndarray:
    """Score neural models of clients, each on its own test samples.

    Parameters
    ----------
    forward
        ``(theta [1, P], x [1, B, T, channels]) -> [1, B, c]``.
    weights
        ``[K, P]``, or ``[1, P]`` if all clients hold the same.
    X, y
        All series ``[N, T, channels]``, and labels or targets ``[N]``.
    tests
        K arrays of test samples.

    Returns
    -------
    numpy.ndarray
        ``[K]``: accuracy, or root mean square error where ``y`` holds targets (is of floats).
    """

    def right(theta, samples):
        """Whether each sample is recognised, or its squared error."""
        parts = [
            forward(theta[None], X[None, samples[i : i + batch]])[0].numpy()
            for i in range(0, len(samples), batch)
        ]
        output = np.concatenate(parts)
        return (output[:, 0] - y[samples]) ** 2 if regression else output.argmax(1) == y[samples]

    regression = y.dtype.kind == "f"
    if len(weights) == 1:  # clients share many of their test samples
        anyones = np.unique(np.concatenate(tests))
        known = right(weights[0], anyones)
        means = [known[np.searchsorted(anyones, test)].mean() for test in tests]
    else:
        means = [right(theta, test).mean() for theta, test in zip(weights, tests)]
    return np.array(means) ** (0.5 if regression else 1)
