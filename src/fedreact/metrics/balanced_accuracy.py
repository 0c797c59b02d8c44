"""Balanced accuracy: rare labels count as much as common ones."""

import numpy as np

from fedreact.metrics.confusion import by_label, over_labels, ratio, samples
from fedreact.metrics.contract import Metric


def client(means: np.ndarray) -> np.ndarray:
    """Return a client's balanced accuracy.

    It is the mean recall of the client's labels, scikit-learn's ``balanced_accuracy_score``. Where
    several labels can be true, it is the mean of the shares of true and of false ones that are
    recognised; a share without labels is left out.
    """
    tp, fp, fn, tn = by_label(means)
    if tp.shape[-1] == 1:
        sides = np.concatenate([ratio(tp, tp + fn), ratio(tn, tn + fp)], axis=-1)
        return over_labels(sides, np.concatenate([tp + fn, tn + fp], axis=-1) > 0)
    return over_labels(ratio(tp, tp + fn), tp + fn > 0)


METRIC = Metric(
    title="Balanced accuracy",
    better="higher",
    bounds=(0.0, 1.0),
    kinds=("classification", "multi-label"),
    samples=samples,
    client=client,
)
