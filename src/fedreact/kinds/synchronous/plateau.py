"""The end of a training that stands still (in no paper).

A baseline that is stopped too early is weak by its budget, not by itself. So its rounds double
until two doublings together gain next to nothing on samples that neither training nor tests use: by
one alone, a personal model that begins slowly would be stopped in its second round. Global models
of few rounds go up and down, so what counts is the best round until now, not the last one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fedreact.kinds.scoring import score_outputs
from fedreact.kinds.supervised import ScaledTargets
from fedreact.metrics.contract import Metric
from fedreact.task import Task


@dataclass(frozen=True)
class Plateau:
    """Tells whether a training stands still.

    Attributes
    ----------
    gain
        Gain of two doublings, in units of the metric, below which the training stands still.
    floor
        Score of constants on the same samples. A training that is not ahead of it by ``gain`` has
        not begun: a recurrent network can stay at chance level for long before it learns.
    sign
        1 if higher scores are better, -1 if lower.
    """

    gain: float
    floor: float
    sign: int

    def is_reached(self, scores: Sequence[float]) -> bool:
        """Tell it from the scores of all rounds until now, after 4, 8, 16, ... of them.

        Rounds without a score are NaN; those that count must have one.
        """
        t = len(scores)
        if t < 4 or t & (t - 1):
            return False
        best = [np.nanmax(self.sign * np.asarray(scores[:end])) for end in (t // 4, t)]
        has_begun = best[1] - self.sign * self.floor >= self.gain
        return bool(has_begun and best[1] - best[0] < self.gain)


def floor(
    train: Sequence[np.ndarray],
    held: Sequence[np.ndarray],
    targets: ScaledTargets,
    task: Task,
    name: str,
    metric: Metric,
) -> float:
    """Score each client's best constant on its held-out samples; the mean over clients.

    Parameters
    ----------
    train, held
        K arrays of samples: constants are computed from the former and scored on the latter.
    name, metric
        The metric of the score.
    """
    outputs = []
    for own, test in zip(train, held):
        y = targets.y[own]
        if task.kind == "classification":
            constant = np.bincount(y, minlength=task.outputs).astype(float)
        elif task.kind == "multi-label":
            constant = 2 * y.mean(axis=0) - 1
        else:
            constant = y.reshape(len(y), -1).mean(axis=0)
        outputs.append(np.tile(constant, (len(test), 1)))
    return metric.over(score_outputs(outputs, held, targets, {name: metric})[name])
