"""FedConD's drift test: eq. 6.4 as printed, and the test by sample counts that it builds on."""

from math import erfc, sqrt

import numpy as np

QUEUE = 20
"""Scores that a client keeps (section 6.2.1)."""


def statistic(before: float, now: float, of_all: float, spread: float) -> float:
    """Gamma of eq. 6.4; NaN where its root has no value.

    Parameters
    ----------
    before, now, of_all
        Mean of the scores before, the new one, and the mean of all.
    spread
        Delta: 1 / n_before + 1 / n_now, of samples.
    """
    variance = of_all * (1 - of_all) * spread
    return (abs(before - now) - 0.5 * spread) / sqrt(variance) if variance > 0 else float("nan")


def testable(scores: np.ndarray) -> bool:
    """Whether there are scores enough: one has no trend."""
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
    """Whether a new score is worse than those before, by more than chance would have it.

    Parameters
    ----------
    scores, counts
        Scores from 0 to 1 so far, and the samples they are of; NaN where there is none yet.
    now, n
        The new score, and its samples.
    printed
        Eq. 6.4 and nothing else, with Delta = 1 / a + 1 for a scores before, whatever they are of;
        a rise counts as a fall does. Else samples are counted.
    delta
        A fall that is needed besides, unless printed (section 6.3.3 gives a threshold and no use
        of it).
    level
        Significance level, one-sided.
    """
    if not testable(scores):
        return False
    there = np.isfinite(scores)
    a = int(there.sum())
    if printed:
        before = float(scores[there].mean())
        of_all, spread = (before * a + now) / (a + 1), 1 / a + 1
    else:
        m = float(counts[there].sum())
        before = float((scores[there] * counts[there]).sum() / m)
        of_all, spread = (before * m + now * n) / (m + n), 1 / m + 1 / n
    if not printed and not before - now > delta:
        return False
    gamma = statistic(before, now, of_all, spread)
    return bool(erfc(gamma / sqrt(2)) / 2 < level)
