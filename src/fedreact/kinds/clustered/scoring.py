"""Scores of task models and clusters (Fed-REACT, section 4.2)."""

from collections.abc import Mapping

import numpy as np

from fedreact.errors import UserError
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
        if some := [name for name, metric in metrics.items() if metric.windows is not None]:
            raise UserError(
                f"metric {some[0]} is of the first test windows of a client, but here clients are "
                "tested on samples in no order; take another metric"
            )
        first, which = self._distinct(models.reshape(len(models), -1))
        means: dict[str, list] = {name: [None] * len(which) for name in metrics}
        for m, model in enumerate(models[first].astype(np.float32)):
            holders = np.flatnonzero(which == m)
            # Only what someone who holds the model is tested on: of many models that is little.
            at = np.flatnonzero(weights[holders].any(0))
            X, y, of_holders = self.X, self.y, weights[holders]
            if len(at) < len(self.X):
                X, y, of_holders = X[at], y[at], of_holders[:, at]
            outputs = X @ model.T
            for name, metric in metrics.items():
                values = metric.samples(*_given(metric, outputs, y, unit, centre))
                found = of_holders @ values.astype(float).reshape(len(y), -1)
                for k, of_client in zip(holders, found):
                    means[name][k] = of_client
        return {
            name: (1.0 if _in_own_units(metric, unit) else unit)
            * metric.client(np.stack(means[name]))
            for name, metric in metrics.items()
        }

    def _distinct(self, models):
        """First index of each distinct model, and which of them each client holds.

        Most clients of a cluster hold the same model. Two models that differ are told apart by
        their products with random vectors.
        """
        probes = self.rng.standard_normal((models.shape[1], 4)).astype(models.dtype)
        _, first, which = np.unique(models @ probes, axis=0, return_index=True, return_inverse=True)
        return first, which.ravel()


def _in_own_units(metric, unit):
    """Whether a metric needs targets in their own units: another cannot be had by a factor."""
    return metric.power != 1 or np.ndim(unit) > 0


def _given(metric, outputs, y, unit, centre):
    """Outputs and targets as a metric needs them; labels have no unit."""
    if not _in_own_units(metric, unit) or y.dtype.kind != "f":
        return outputs, y
    return outputs * unit + centre, (y.reshape(outputs.shape) * unit + centre).reshape(y.shape)
