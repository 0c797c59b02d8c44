"""Rows of a table in which a predictor that learns nothing is ahead, so that they rank no methods.

Trivial predictors, such as a constant or persistence, are named in ``paper.yaml``. One of them is
ahead in a row if its mean score is better than that of the row's reference, or if the best method
is not significantly better: the trivial predictor's mean reaches the 95% interval of that of the
best method. With one seed, which gives no interval, it must reach the mean.

Pandas is imported where lines are read, since the workflow, which starts often, asks of metrics.
"""

from collections.abc import Collection, Mapping
from math import isnan
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from fedreact.metrics.grammar import load_metric

if TYPE_CHECKING:
    import pandas as pd

FLAG = "trivial predictor ahead"


class Score(NamedTuple):
    """Mean of a method's scores over seeds, and its 95% interval; NaN for ends that it lacks."""

    mean: float
    low: float
    high: float


def is_of_predictions(metric: str, some_clients: bool = False) -> bool:
    """Say whether a metric scores predictions: only then does a trivial predictor tell anything.

    It is a mean over all clients; with ``some_clients``, it may be one over a subset.
    """
    scored = load_metric(metric)
    is_mean = scored.reduce is np.mean if some_clients else scored.is_plain_mean
    return scored.better is not None and scored.samples is not None and is_mean


def ahead(
    scores: Mapping[str, Score], trivial: Collection[str], reference: str | None, better: str
) -> str | None:
    """Return the best trivial predictor of a row if it is ahead there, else ``None``.

    Parameters
    ----------
    scores
        Scores of all methods of a row by their labels, the trivial predictors among them.
    trivial
        Labels of trivial predictors; those without a score do not count.
    reference
        Label of the method that the others are compared with, if any.
    better
        ``higher`` or ``lower``.
    """
    sign = 1 if better == "higher" else -1
    level = {label: sign * score.mean for label, score in scores.items()}
    theirs = [label for label in trivial if label in scores]
    methods = [label for label in scores if label not in trivial]
    if not theirs or not methods:
        return None
    label, best = (max(labels, key=lambda label: level[label]) for labels in (theirs, methods))
    edge = sign * (scores[best].low if sign > 0 else scores[best].high)
    if level[label] >= (level[best] if isnan(edge) else edge):
        return label
    return label if reference in methods and level[label] > level[reference] else None


def flagged(
    lines: "pd.DataFrame",
    trivial: Collection[str],
    reference: str | None = None,
    methods_are: Literal["row", "column"] = "column",
) -> dict[tuple[str, str], str]:
    """Find the settings of a table in which a trivial predictor is ahead.

    Parameters
    ----------
    lines
        Cells with ``row, column, metric, mean, ci_low, ci_high``.
    trivial, reference
        As for :func:`ahead`.
    methods_are
        Whether columns or rows are methods; the others are settings.

    Returns
    -------
    dict
        The trivial predictor that is ahead, by the label of the setting and the metric.
    """
    from fedreact.frames import records

    found: dict[tuple[str, str], str] = {}
    if not trivial:
        return found
    setting = "row" if methods_are == "column" else "column"
    built = lines[lines["mean"].notna()]
    for place, group in built.groupby([setting, "metric"], sort=False):
        label, metric = map(str, place)
        if not is_of_predictions(metric, some_clients=True):
            continue
        scores = {
            line[methods_are]: Score(line["mean"], line["ci_low"], line["ci_high"])
            for line in records(group)
        }
        better = load_metric(metric).better or "higher"
        if (first := ahead(scores, trivial, reference, better)) is not None:
            found[label, metric] = first
    return found


def flagged_labels(lines: "pd.DataFrame") -> set[tuple[str, str]]:
    """Return the labels of rows and columns all of whose cells carry the flag, with the metric."""
    if "flag" not in lines:  # of a run that was kept before there were flags
        return set()
    flags = lines["flag"].eq(FLAG)
    labels: set[tuple[str, str]] = set()
    for axis in ("row", "column"):
        whole = flags.groupby([lines[axis], lines["metric"]]).all()
        labels |= set(whole.index[whole])
    return labels
