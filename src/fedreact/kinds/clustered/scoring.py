"""Scores of task models and clusters (Fed-REACT, section 4.2)."""

from collections.abc import Mapping

import numpy as np

from fedreact.errors import UserError
from fedreact.metrics.contract import Metric

Scale = float | np.ndarray
"""A number for all targets, or one for each ``[c]``."""


def rand_score(truth: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of pairs of clients on which both clusterings agree (ICLR, 4.1.2).

    scikit-learn's function of this name gives the same; importing it takes longer than a round.
    """
    if len(truth) < 2:
        return 1.0
    both = np.zeros((np.max(truth) + 1, np.max(labels) + 1))
    np.add.at(both, (truth, labels), 1)
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
        """Take ``features [N, D]`` and targets of all clients' test samples."""
        ones = np.ones((len(features), 1), dtype=np.float32)
        self.X = np.concatenate([features, ones], axis=1, dtype=np.float32)
        self.y = y
        self.rng = np.random.default_rng(seed)

    def scores(
        self,
        models: np.ndarray,
        weights: np.ndarray,
        metrics: Mapping[str, Metric],
        unit: Scale = 1.0,
        centre: Scale = 0.0,
    ) -> dict[str, np.ndarray]:
        """Score ``[K]`` of each client's model on its test distribution, by each metric.

        Parameters
        ----------
        models
            ``[K, c, D + 1]``: the model that each client holds.
        weights
            ``[K, N]``: the weight of each sample for each client; rows sum to 1.
        unit, centre
            Numbers or ``[c]``: targets are in units of ``unit``, after ``centre`` was subtracted.

        Raises
        ------
        UserError
            A metric needs ordered samples, or is not computed from outputs.
        """
        if some := [name for name, metric in metrics.items() if metric.windows is not None]:
            raise UserError(
                f"metric {some[0]} is of the first test windows of a client, but here clients are "
                "tested on samples in no order; take another metric"
            )
        first, model_of = self._distinct(models.reshape(len(models), -1))
        means: dict[str, list[np.ndarray]] = {name: [np.empty(0)] * len(models) for name in metrics}
        for m, model in enumerate(models[first].astype(np.float32)):
            holders = np.flatnonzero(model_of == m)
            # Only the test samples of its holders: if there are many models, these are few.
            tested = np.flatnonzero(weights[holders].any(0))
            X, y, of_holders = self.X, self.y, weights[holders]
            if len(tested) < len(self.X):
                X, y, of_holders = X[tested], y[tested], of_holders[:, tested]
            outputs = X @ model.T
            for name, metric in metrics.items():
                if metric.samples is None:
                    raise UserError(f"metric {name} is not computed from outputs")
                values = metric.samples(*_in_units(metric, outputs, y, unit, centre))
                statistics = of_holders @ values.astype(float).reshape(len(y), -1)
                for k, of_client in zip(holders, statistics):
                    means[name][k] = of_client
        return {
            name: (1.0 if _needs_own_units(metric, unit) else unit)
            * metric.client(np.stack(means[name]))
            for name, metric in metrics.items()
        }

    def _distinct(self, models: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first index of each distinct model, and the distinct model of each client.

        Most clients of a cluster hold the same model. Products with random vectors distinguish
        models that differ.
        """
        probes = self.rng.standard_normal((models.shape[1], 4)).astype(models.dtype)
        _, first, model_of = np.unique(
            models @ probes, axis=0, return_index=True, return_inverse=True
        )
        return first, model_of.ravel()


def _needs_own_units(metric: Metric, unit: Scale) -> bool:
    """Tell whether a metric needs targets in their own units: a factor is not enough."""
    return metric.power != 1 or np.ndim(unit) > 0


def _in_units(
    metric: Metric, outputs: np.ndarray, y: np.ndarray, unit: Scale, centre: Scale
) -> tuple[np.ndarray, np.ndarray]:
    """Return outputs and targets in the units that a metric needs; labels have no unit."""
    if not _needs_own_units(metric, unit) or y.dtype.kind != "f":
        return outputs, y
    return outputs * unit + centre, (y.reshape(outputs.shape) * unit + centre).reshape(y.shape)
