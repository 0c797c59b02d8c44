"""How well task models and clusters do (Fed-REACT, section 4.2)."""

from collections.abc import Mapping

import numpy as np

from fedreact.metrics.contract import Metric


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
        ``[N]`` or ``[N, M]``: labels or targets.
    """

    def __init__(self, features: np.ndarray, y: np.ndarray, seed: int = 0):
        """Take ``features [N, D]`` and targets of the samples that anyone is tested on."""
        ones = np.ones((len(features), 1), dtype=np.float32)
        self.X = np.concatenate([features, ones], axis=1, dtype=np.float32)
        self.y = y
        self.rng = np.random.default_rng(seed)

    def scores(
        self,
        models: np.ndarray,
        weights: np.ndarray,
        metrics: Mapping[str, Metric],
        unit: float | np.ndarray = 1.0,
        centre: float | np.ndarray = 0.0,
    ) -> dict[str, np.ndarray]:
        """Score ``[K]`` of each client's model on its test distribution, by each metric.

        Parameters
        ----------
        models
            ``[K, c, D + 1]``: the model that each client holds.
        weights
            ``[K, N]``: the weight of each sample for each client; rows sum to 1.
        unit, centre
            What targets were divided by, after this was taken off, numbers or ``[c]``.
        """
        first, which = self._distinct(models.reshape(len(models), -1))
        M, N, clients = len(first), len(self.X), np.arange(len(which))
        found = models[first].reshape(-1, self.X.shape[1]).astype(np.float32) @ self.X.T
        outputs = found.reshape(M, -1, N).transpose(0, 2, 1).reshape(M * N, -1)
        y = np.tile(self.y, (M, *[1] * (self.y.ndim - 1)))
        result = {}
        for name, metric in metrics.items():
            given, factor = (outputs, y), unit
            if metric.power != 1 or np.ndim(unit):
                given, factor = _as_they_were(*given, unit, centre), 1.0
            values = metric.samples(*given).astype(float).reshape(M, N, -1)
            means = [(weights @ part.T)[clients, which] for part in np.moveaxis(values, 2, 0)]
            result[name] = factor * metric.client(np.stack(means, -1))
        return result

    def _distinct(self, models):
        """First index of each distinct model, and which of them each client holds.

        Most clients of a cluster hold the same model. Two models that differ are told apart by
        their products with random vectors.
        """
        probes = self.rng.standard_normal((models.shape[1], 4)).astype(models.dtype)
        _, first, which = np.unique(models @ probes, axis=0, return_index=True, return_inverse=True)
        return first, which.ravel()


def _as_they_were(outputs, y, unit, centre):
    """Outputs and targets in the targets' own units; labels have none."""
    if y.dtype.kind != "f":
        return outputs, y
    return outputs * unit + centre, (y.reshape(outputs.shape) * unit + centre).reshape(y.shape)
