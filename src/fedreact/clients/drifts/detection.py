"""FedConD's drift test: eq. 6.4 as printed, and the test by sample counts that it builds on."""

from math import erfc, sqrt

import numpy as np

QUEUE = 20
"""Scores that a client keeps (section 6.2.1)."""


def statistic(before: float, now: float, overall: float, spread: float) -> float:
    """Return Gamma of eq. 6.4; NaN where its root has no value.

    Parameters
    ----------
    before, now, overall
        Mean of the scores before, the new score, and the mean of all.
    spread
        Delta: 1 / n_before + 1 / n_now, of samples.
    """
    variance = overall * (1 - overall) * spread
    return (abs(before - now) - 0.5 * spread) / sqrt(variance) if variance > 0 else float("nan")


def testable(scores: np.ndarray) -> bool:
    """Return whether there are scores enough: one score has no trend."""
    return bool(np.isfinite(scores).sum() >= 2)


def detected(
    scores: np.ndarray,
    counts: np.ndarray,
    now: float,
    n: int,
    printed: bool = False,
    delta: float = 0.0,
    level: float = 0.05,
) -> bool:
    """Return whether a new score is significantly worse than those before.

    Parameters
    ----------
    scores, counts
        Scores from 0 to 1 so far, and the numbers of their samples; NaN where there is none yet.
    now, n
        The new score, and the number of its samples.
    printed
        Eq. 6.4 and nothing else, with Delta = 1 / a + 1 for a scores before, whatever their numbers
        of samples; a rise counts as a fall does. Otherwise samples are counted.
    delta
        A fall that is needed besides, unless printed (section 6.3.3 gives a threshold and no use
        of it).
    level
        Significance level, one-sided.
    """
    if not testable(scores):
        return False
    known = np.isfinite(scores)
    a = int(known.sum())
    if printed:
        before = float(scores[known].mean())
        overall, spread = (before * a + now) / (a + 1), 1 / a + 1
    else:
        m = float(counts[known].sum())
        before = float((scores[known] * counts[known]).sum() / m)
        overall, spread = (before * m + now * n) / (m + n), 1 / m + 1 / n
    if not printed and not before - now > delta:
        return False
    gamma = statistic(before, now, overall, spread)
    return bool(erfc(gamma / sqrt(2)) / 2 < level)
