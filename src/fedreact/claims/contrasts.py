"""Whether a claimed difference holds: differences by seed against the smallest one that matters.

A claim says that one score is better than another, or that both are equal. It is judged by
equivalence bounds (Lakens 2017, Soc. Psychol. Personal. Sci. 8:355), not by whether the published
difference lies in a prediction interval (Patil et al. 2016): that interval rewards wide ones, so
that few seeds would confirm everything. Small telescopes (Simonsohn 2015) compare with what the
original study could have seen, for which its spread would have to be known; most papers print none.

With the interval of the mean difference ``d`` (95%, Student's t, paired by seed, positive as
claimed) and the margin ``m``, the smallest difference that matters, a claim of a difference

- is *negligible* if the interval lies within ``-m .. m``;
- else *holds* if the interval lies above 0, and is *reversed* if it lies below 0;
- else is *undecided*.

A claim of equality *holds* if the interval lies within ``-m .. m``, is *reversed* if it lies
outside, and else is *undecided*. With fewer than three seeds every claim is undecided. A contrast
whose weaker method is at chance level, or behind a trivial predictor together with the other
method, is *not-testable*: its difference says nothing about the methods.

A claim over several settings says ``every`` of them, or their ``average``. A claim about *every*
holds if each contrast holds by itself, which needs no correction (an intersection-union test,
Berger 1982). One counterexample refutes it, after Holm's correction for the number of contrasts:
it is reversed if one contrast is, else negligible if one is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr, stdtrit

from fedreact.intervals import FEWEST, summarise

Values = npt.NDArray[np.float64] | Sequence[float]

Outcome = Literal["holds", "negligible", "reversed", "undecided", "not-testable"]
OUTCOMES: tuple[Outcome, ...] = ("holds", "negligible", "reversed", "undecided", "not-testable")
"""Outcomes, in the order in which they are counted and shown."""
ALPHA = 0.025
"""Level of one side of a 95% interval."""
POWER = 0.8
"""Probability with which a detectable difference is shown."""


@dataclass(frozen=True)
class Evidence:
    """Evidence of seeds on a difference.

    Attributes
    ----------
    difference, ci, n
        Mean over seeds, its 95% interval, and the number of seeds. Positive is as claimed.
    probability
        Probability, under a flat prior, of a mean on the claimed side (within the margin, if
        equality is claimed).
    detectable
        The smallest difference that as many seeds with this spread show in 80% of runs.
    p_holds, p_reversed, p_negligible
        p-values of the tests behind these outcomes, one-sided. A claim of equality is never
        negligible.
    untestable
        Why the difference says nothing about the methods; empty if it does.
    """

    difference: float
    ci: tuple[float, float]
    n: int
    probability: float
    detectable: float
    p_holds: float
    p_reversed: float
    p_negligible: float
    untestable: str = ""

    def p_of(self, result: Literal["holds", "reversed", "negligible"]) -> float:
        """Return the p-value of the test behind an outcome."""
        p_values = {
            "holds": self.p_holds,
            "reversed": self.p_reversed,
            "negligible": self.p_negligible,
        }
        return p_values[result]


@dataclass(frozen=True)
class Spread:
    """A mean over ``n`` seeds, at least two, and its standard error."""

    mean: float
    se: float
    n: int

    def below(self, value: float) -> float:
        """Return the probability that the mean lies below a value."""
        if self.se == 0:
            return float(self.mean < value)
        return float(stdtr(self.n - 1, (value - self.mean) / self.se))

    def above(self, value: float) -> float:
        """Return the probability that the mean lies above a value."""
        return float(self.mean > value) if self.se == 0 else 1 - self.below(value)

    @property
    def half_width(self) -> float:
        """Half of the 95% interval."""
        return float(stdtrit(self.n - 1, 1 - ALPHA)) * self.se

    @property
    def detectable(self) -> float:
        """The smallest difference that is shown in 80% of runs."""
        df = self.n - 1
        return float(stdtrit(df, 1 - ALPHA) + stdtrit(df, POWER)) * self.se


def weigh(by_seed: Values, margin: float, equal: bool = False) -> Evidence:
    """Weigh differences by seed; a single seed, or none, says nothing.

    Parameters
    ----------
    by_seed
        Differences, positive where they are as claimed.
    margin
        The smallest difference that matters, in the score's unit.
    equal
        Whether equality is claimed, within the margin, instead of a difference above 0.

    Returns
    -------
    Evidence
    """
    if len(by_seed) < 2:
        mean = float(by_seed[0]) if len(by_seed) else np.nan
        return Evidence(mean, (np.nan, np.nan), len(by_seed), np.nan, np.nan, 1.0, 1.0, 1.0)
    s = summarise(by_seed)
    spread = Spread(s.mean, float(np.std(by_seed, ddof=1)) / s.n**0.5, s.n)
    return replace(weigh_spread(spread, margin, equal), ci=s.ci)


def weigh_spread(d: Spread, margin: float, equal: bool = False) -> Evidence:
    """Weigh a mean difference by its standard error; parameters are those of :func:`weigh`."""
    ci = (d.mean - d.half_width, d.mean + d.half_width)
    within = 1 - min(d.above(-margin), d.below(margin))
    if equal:
        probability = 1 - d.below(-margin) - d.above(margin)
        outside = 1 - max(d.above(margin), d.below(-margin))
        return Evidence(d.mean, ci, d.n, probability, d.detectable, within, outside, 1.0)
    above = d.above(0)
    return Evidence(d.mean, ci, d.n, above, d.detectable, 1 - above, 1 - d.below(0), within)


def weigh_between(least: Values, most: Values, margin: float) -> Evidence:
    """Weigh differences by seed of which only a least and a most are known.

    The mean lies between both (bounds in the sense of Manski 2003, Partial Identification of
    Probability Distributions). So the interval reaches from the lower end of that of the least to
    the upper end of that of the most. The middle of both means stands for the difference; how far
    they are apart counts to what is detectable, and where they are apart there is no probability.
    Parameters are those of :func:`weigh`; both are of the same seeds.
    """
    low, high = weigh(least, margin), weigh(most, margin)
    if low.n < 2:
        middle = (low.difference + high.difference) / 2
        return replace(low, difference=middle)
    return _between(low, high, margin)


def weigh_spreads(low: Spread, high: Spread, margin: float) -> Evidence:
    """Weigh a least and a most mean difference by their standard errors."""
    return _between(weigh_spread(low, margin), weigh_spread(high, margin), margin)


def _between(low: Evidence, high: Evidence, margin: float) -> Evidence:
    """Combine the evidence on the least and on the most difference."""
    apart = high.difference - low.difference
    return Evidence(
        difference=(low.difference + high.difference) / 2,
        ci=(low.ci[0], high.ci[1]),
        n=low.n,
        probability=low.probability if low == high else np.nan,
        detectable=max(low.detectable, high.detectable) + apart,
        p_holds=low.p_holds,
        p_reversed=high.p_reversed,
        p_negligible=max(low.p_negligible, high.p_negligible),
    )


def outcome(evidence: Evidence) -> Outcome:
    """Judge one difference by itself."""
    return judge_each([evidence])[0]


def holm(p_values: Values) -> npt.NDArray[np.float64]:
    """Correct p-values ``[n]`` for their number (Holm 1979)."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return corrected


def judge_each(evidence: Sequence[Evidence]) -> list[Outcome]:
    """Judge each of a claim's differences, corrected for their number.

    A difference that is negligible by itself, but not after the correction, is undecided: it is
    too small to hold or to be reversed.
    """
    p_holds = holm([one.p_holds for one in evidence])
    p_reversed = holm([one.p_reversed for one in evidence])
    p_negligible = holm([one.p_negligible for one in evidence])
    return [
        _outcome(one, p_holds=p_holds[i], p_reversed=p_reversed[i], p_negligible=p_negligible[i])
        for i, one in enumerate(evidence)
    ]


def _outcome(
    evidence: Evidence, *, p_holds: float, p_reversed: float, p_negligible: float
) -> Outcome:
    """Judge one difference by its corrected p-values."""
    if evidence.untestable:
        return "not-testable"
    if evidence.n < FEWEST:
        return "undecided"
    if evidence.p_negligible <= ALPHA:
        return "negligible" if p_negligible <= ALPHA else "undecided"
    if p_reversed <= ALPHA:
        return "reversed"
    return "holds" if p_holds <= ALPHA else "undecided"


def judge_every(evidence: Sequence[Evidence]) -> Outcome:
    """Judge the claim that all of several differences are as said.

    Parameters
    ----------
    evidence
        Evidence on each difference, as :func:`weigh` gives it.

    Returns
    -------
    Outcome
        ``reversed`` if one is after Holm's correction for their number; else ``negligible`` if one
        is; else ``not-testable`` if one is; else ``holds`` if each does by itself; else
        ``undecided``.
    """
    each = judge_each(evidence)
    refuting: tuple[Outcome, ...] = ("reversed", "negligible", "not-testable")
    for refuted in refuting:
        if refuted in each:
            return refuted
    return "holds" if all(outcome(one) == "holds" for one in evidence) else "undecided"


def p_of_one(evidence: Evidence, result: Outcome) -> float:
    """Return the p-value behind the outcome of one difference; NaN where there was no test.

    An undecided difference has the smaller of the p-values of holding and of being reversed.
    """
    if result == "not-testable" or evidence.n < FEWEST:
        return np.nan
    if result == "undecided":
        return min(evidence.p_holds, evidence.p_reversed)
    return evidence.p_of(result)


def p_of_every(evidence: Sequence[Evidence], result: Outcome) -> float:
    """Return the p-value behind the outcome of a claim about every difference.

    It holds by its weakest difference (the largest p-value), and is refuted by its clearest
    counterexample (the smallest, corrected for their number).
    """
    if result == "not-testable" or any(one.n < FEWEST for one in evidence):
        return np.nan
    holds = max(one.p_holds for one in evidence)
    if result == "holds":
        return holds
    if result == "undecided":
        return min(holds, float(holm([one.p_reversed for one in evidence]).min()))
    return float(holm([one.p_of(result) for one in evidence]).min())


def exceptions(evidence: Sequence[Evidence]) -> list[int]:
    """Return the places of differences that do not hold by themselves.

    There are none if and only if the claim about every difference holds.
    """
    return [i for i, one in enumerate(evidence) if outcome(one) != "holds"]


def weakest(evidence: Sequence[Evidence]) -> int:
    """Return the place of the difference on which a claim about every one hangs.

    It is the first by the outcomes in the order of :func:`judge_every`, and among those the one
    whose interval reaches lowest.
    """
    order: list[Outcome] = ["reversed", "negligible", "not-testable", "undecided", "holds"]
    each = judge_each(evidence)

    def rank(i: int) -> tuple[int, float, int]:
        low = evidence[i].ci[0]
        return order.index(each[i]), -np.inf if np.isnan(low) else low, i

    return min(range(len(evidence)), key=rank)


def average(differences: Sequence[Mapping[Any, float]]) -> dict[Any, float]:
    """Average differences ``{seed: value}`` by seed, over the seeds that all of them have."""
    seeds = sorted(set.intersection(*(set(one) for one in differences)))
    return {seed: float(np.mean([one[seed] for one in differences])) for seed in seeds}
