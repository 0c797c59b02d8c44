"""Whether a claimed difference holds: differences by seed against a smallest one that matters.

A claim says that one score is better than another, or that both are equal. It is judged by
equivalence bounds (Lakens 2017, Soc. Psychol. Personal. Sci. 8:355), not by whether the published
difference lies in a prediction interval (Patil et al. 2016): that interval rewards wide ones, so
that few seeds would confirm everything. Small telescopes (Simonsohn 2015) compare with what the
original study could have seen, for which its spread would have to be known; the papers print none.

With the interval of the mean difference ``d`` (95%, Student's t, paired by seed) and the margin
``m``, the smallest difference that matters,

- *better* holds if ``d`` lies above 0, and fails if it lies below ``m``;
- *equal* holds if ``d`` lies within ``-m .. m``, and fails if it lies outside;
- else, or with fewer than three seeds, it is undecided: this run cannot tell.

A claim over several settings says ``every`` of them, or their ``average``. Of *every*, each must
hold by itself, which needs no correction (an intersection-union test, Berger 1982), and it fails
where one fails after Holm's correction for their number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr, stdtrit

from fedreact.intervals import FEWEST, summarise

Outcome = Literal["holds", "fails", "undecided"]
ALPHA = 0.025
"""Of a side of a 95% interval."""
POWER = 0.8


@dataclass(frozen=True)
class Evidence:
    """What seeds say of a difference.

    Attributes
    ----------
    difference, ci, n
        Mean over seeds, its 95% interval, and their number. Above 0 is what is claimed.
    probability
        That the mean lies on the claimed side (within the margin, if equality is claimed), given a
        flat prior.
    detectable
        The smallest difference that as many seeds with this spread show in 80% of runs.
    p_holds, p_fails
        Of the tests behind *holds* and *fails*, one-sided.
    """

    difference: float
    ci: tuple[float, float]
    n: int
    probability: float
    detectable: float
    p_holds: float
    p_fails: float


def weigh(by_seed: Sequence[float], margin: float, equal: bool = False) -> Evidence:
    """Weigh differences by seed; those of a single seed, or of none, say nothing.

    Parameters
    ----------
    by_seed
        Differences, positive where they are as claimed.
    margin
        The smallest difference that matters, in the score's unit.
    equal
        Whether equality is claimed, within the margin, instead of a difference above 0.
    """
    if not len(by_seed):
        return Evidence(np.nan, (np.nan, np.nan), 0, np.nan, np.nan, 1.0, 1.0)
    s = summarise(by_seed)
    if s.n < 2:
        return Evidence(s.mean, s.ci, s.n, np.nan, np.nan, 1.0, 1.0)
    se, df = float(np.std(by_seed, ddof=1)) / s.n**0.5, s.n - 1

    def below(value):
        """Probability that the mean lies below a value."""
        if se == 0:
            return float(s.mean < value)
        return float(stdtr(df, (value - s.mean) / se))

    def above(value):
        return float(s.mean > value) if se == 0 else 1 - below(value)

    if equal:
        probability = 1 - below(-margin) - above(margin)
        p_holds = 1 - min(above(-margin), below(margin))
        p_fails = 1 - max(above(margin), below(-margin))
    else:
        probability, p_holds, p_fails = above(0), 1 - above(0), 1 - below(margin)
    detectable = (stdtrit(df, 1 - ALPHA) + stdtrit(df, POWER)) * se
    return Evidence(s.mean, s.ci, s.n, probability, float(detectable), p_holds, p_fails)


def weigh_between(least: Sequence[float], most: Sequence[float], margin: float) -> Evidence:
    """Weigh differences by seed of which only a least and a most are known.

    That one is better holds if the mean of the least lies above 0, and fails if that of the most
    lies below the margin, since the mean is between both (bounds in the sense of Manski 2003,
    Partial Identification of Probability Distributions). So the interval reaches from the lower end
    of that of the least to the upper end of that of the most. What stands for the difference is the
    middle of both means; how far they are apart counts to what is detectable, and where they are
    apart there is no probability. Parameters are those of :func:`weigh`; both are of the same
    seeds.
    """
    low, high = weigh(least, margin), weigh(most, margin)
    return Evidence(
        difference=(low.difference + high.difference) / 2,
        ci=(low.ci[0], high.ci[1]),
        n=low.n,
        probability=low.probability if list(least) == list(most) else np.nan,
        detectable=max(low.detectable, high.detectable) + (high.difference - low.difference),
        p_holds=low.p_holds,
        p_fails=high.p_fails,
    )


def outcome(evidence: Evidence, p_holds: float, p_fails: float) -> Outcome:
    """Judge one difference by p-values, corrected if it is one of several."""
    if evidence.n < FEWEST:
        return "undecided"
    if p_fails <= ALPHA:
        return "fails"
    return "holds" if p_holds <= ALPHA else "undecided"


def holm(p: Sequence[float]) -> np.ndarray:
    """p-values corrected for their number (Holm 1979)."""
    p = np.asarray(p, dtype=float)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def judge_each(evidence: Sequence[Evidence]) -> list[Outcome]:
    """Judge each of a claim's differences, corrected for their number."""
    holds, fails = holm([e.p_holds for e in evidence]), holm([e.p_fails for e in evidence])
    return [outcome(*each) for each in zip(evidence, holds, fails)]


def judge_every(evidence: Sequence[Evidence]) -> Outcome:
    """Judge the claim that all of several differences are as said.

    Parameters
    ----------
    evidence
        A difference each, as :func:`weigh` gives it.

    Returns
    -------
    Outcome
        ``holds`` if each does by itself, ``fails`` if one does after Holm's correction for their
        number, else ``undecided``; so with fewer than three seeds, too.
    """
    each = judge_each(evidence)
    if "fails" in each:
        return "fails"
    all_hold = all(outcome(e, e.p_holds, 1.0) == "holds" for e in evidence)
    return "holds" if all_hold else "undecided"


def average(differences: Sequence[dict[int, float]]) -> list[float]:
    """Mean over differences ``{seed: value}``, by seed; of the seeds that all of them have."""
    seeds = sorted(set.intersection(*(set(of) for of in differences)))
    return [float(np.mean([of[seed] for of in differences])) for seed in seeds]
