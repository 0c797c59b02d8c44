"""The contract of a simple model on features: a file that defines ``ALGORITHM``.

A new file in ``kinds/simple/algorithms/`` is a baseline in both forms: of each client alone, and
``pooled``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fedreact.task import Task

Predictor = Callable[[np.ndarray], np.ndarray]
"""Outputs ``[n, c]`` of features ``[n, F]``."""


@dataclass(frozen=True)
class Algorithm:
    """A model on features; fields are options (:mod:`fedreact.options`)."""

    def fit(self, X: np.ndarray, Y: np.ndarray, task: Task, random_state: int) -> Predictor:
        """Fit the model to one or more samples.

        Parameters
        ----------
        X
            Features ``[n, F]``, of mean 0 and variance 1 over these samples.
        Y
            ``[n, c]``: 1 for labels that are true and -1 for others; or targets, of mean 0 and
            variance 1 over these samples. A label may be missing here.
        random_state
            Seed of what is drawn.

        Returns
        -------
        Predictor
            Outputs of labels are scores: the largest is the answer; of several labels those above
            0.
        """
        raise NotImplementedError

    def gflops(self, n: int, features: int, outputs: int) -> float:
        """Count the GFLOPs of a fit to n samples; NaN for what does not multiply."""
        return float("nan")
