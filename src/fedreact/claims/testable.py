"""Whether a difference says anything about two methods.

It does not if the baseline is not significantly above chance (its 95% interval reaches the score of
a random guess), or if a predictor that learns nothing scores above both methods. Only comparisons
of methods are asked: one of settings, or with a number, is always testable.

Where an average is over datasets, no difference in a row with the flag "trivial predictor ahead"
(:mod:`fedreact.tables.trivial`) is testable either, and the average leaves it out.
"""

from collections.abc import Mapping

from fedreact.task import Task


def chance_level(metric: str, task: Task) -> float | None:
    """Return the score of a random guess; ``None`` where a metric or task has no such level."""
    if metric == "accuracy" and task.kind == "classification":
        return 1 / task.outputs
    return None


def why_not(
    names: tuple[str, str],
    means: tuple[float, float],
    baseline_low: float,
    chance: float | None,
    trivial: Mapping[str, float],
    better: str,
) -> str:
    """Say why a difference is not testable; empty if it is.

    Parameters
    ----------
    names, means
        Labels and mean scores of the method that a claim is about, and of its baseline.
    baseline_low
        Lower end of the 95% interval of the baseline's mean; NaN if it has none.
    chance
        Score of a random guess, if there is one.
    trivial
        Mean scores of predictors that learn nothing, by label. A claim against one of them is
        always testable.
    better
        ``higher`` or ``lower``.
    """
    if names[1] in trivial:
        return ""
    if chance is not None and baseline_low <= chance:
        return f"{names[1]} not significantly above chance"
    sign = 1 if better == "higher" else -1
    for label, score in trivial.items():
        if label != names[0] and sign * score > max(sign * mean for mean in means):
            return f"{label} ahead of both"
    return ""
