"""Whether a claimed difference holds, by hand and against scipy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fedreact.claims import contrasts
from fedreact.claims.contrasts import (
    average,
    exceptions,
    holm,
    judge_each,
    judge_every,
    outcome,
    weakest,
    weigh,
    weigh_between,
)


def judged(values, margin, equal=False):
    return outcome(weigh(values, margin, equal))


def test_by_hand():
    # 0.1, 0.2, 0.3: mean 0.2, standard error 0.1 / sqrt 3, t = 3.4641 with 2 degrees of freedom.
    evidence = weigh([0.1, 0.2, 0.3], 0.05)
    assert evidence.difference == pytest.approx(0.2)
    assert evidence.ci == pytest.approx((0.2 - 0.248414, 0.2 + 0.248414), abs=1e-6)
    assert evidence.probability == pytest.approx(0.962910, abs=1e-6)
    assert evidence.p_holds == pytest.approx(1 - 0.962910, abs=1e-6)
    # t(0.975, 2) = 4.302653 and t(0.8, 2) = 1.060660.
    assert evidence.detectable == pytest.approx((4.302653 + 1.060660) * 0.1 / 3**0.5, abs=1e-6)
    assert judged([0.1, 0.2, 0.3], 0.05) == "undecided"


def test_p_values_are_those_of_scipy():
    values = [0.012, -0.004, 0.02, 0.009, 0.013]
    evidence = weigh(values, 0.03)
    holds = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    below = stats.ttest_1samp(values, 0, alternative="less").pvalue
    assert (evidence.p_holds, evidence.p_reversed) == pytest.approx((holds, below))
    equal = weigh(values, 0.03, equal=True)
    bounds = [
        stats.ttest_1samp(values, -0.03, alternative="greater").pvalue,
        stats.ttest_1samp(values, 0.03, alternative="less").pvalue,
    ]
    assert equal.p_holds == evidence.p_negligible == pytest.approx(max(bounds))
    outside = [
        stats.ttest_1samp(values, 0.03, alternative="greater").pvalue,
        stats.ttest_1samp(values, -0.03, alternative="less").pvalue,
    ]
    assert equal.p_reversed == pytest.approx(min(outside))
    assert equal.p_negligible == 1


@pytest.mark.parametrize(
    ("values", "equal", "said"),
    [
        ([0.05, 0.06, 0.055], False, "holds"),
        ([-0.05, -0.06, -0.055], False, "reversed"),
        ([0.001, 0.002, 0.0015], False, "negligible"),  # above 0, and too small to matter
        ([-0.001, -0.002, -0.0015], False, "negligible"),
        ([-0.02, 0.0, -0.01], False, "undecided"),  # below the margin, not below 0
        ([0.05, -0.06, 0.055], False, "undecided"),
        ([0.05, 0.06], False, "undecided"),  # two seeds
        ([0.05], False, "undecided"),
        ([0.001, -0.001, 0.0], True, "holds"),
        ([0.05, 0.06, 0.055], True, "reversed"),
        ([0.004, 0.006, 0.005], True, "undecided"),
        ([0.0, 0.0, 0.0], False, "negligible"),  # the same method twice
        ([0.0, 0.0, 0.0], True, "holds"),
        ([0.02, 0.02, 0.02], False, "holds"),
    ],
)
def test_outcomes(values, equal, said):
    assert judged(values, 0.005, equal) == said


@given(
    st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=3, max_size=6),
    st.sampled_from([0.01, 0.1]),
    st.booleans(),
)
def test_outcomes_are_where_the_interval_lies(values, margin, equal):
    evidence = weigh(values, margin, equal)
    low, high = evidence.ci
    edges = [abs(x - y) for x in (low, high) for y in (0, margin, -margin)]
    if min(edges) < 1e-9:
        return
    within = -margin < low and high < margin
    if equal:
        holds, against, small = within, low > margin or high < -margin, False
    else:
        holds, against, small = low > 0, high < 0, within
    said = "reversed" if against else "holds" if holds else "undecided"
    assert outcome(evidence) == ("negligible" if small else said)


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]).tolist() == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]).tolist() == [1.0, 1.0]


def test_one_of_many_is_reversed_only_after_the_correction():
    # p of 0.015 against 0: enough alone, not as one of three.
    values = np.array([-0.01, 0.0, -0.004, 0.001])
    values = values - values.mean()
    clear = weigh([0.05, 0.06, 0.055, 0.052], 0.001)
    for shift in np.linspace(0, -0.02, 200):
        weak = weigh(values + shift, 0.001)
        if 0.01 < weak.p_reversed < 0.02:
            break
    assert judge_every([weak]) == "reversed"
    assert judge_every([weak, clear, clear]) == "undecided"
    assert judge_each([weak, clear, clear])[1:] == ["holds", "holds"]
    assert judge_every([clear, clear]) == "holds"
    assert exceptions([clear, weak, clear]) == [1]
    assert weakest([clear, weak, clear]) == 1


CLEAR = weigh([0.05, 0.06, 0.055], 0.005)
AGAINST = weigh([-0.05, -0.06, -0.055], 0.005)
SMALL = weigh([0.001, 0.002, 0.0015], 0.005)
OPEN = weigh([0.05, -0.06, 0.055], 0.005)
UNTESTABLE = replace(CLEAR, untestable="a constant is ahead of both")


@pytest.mark.parametrize(
    ("each", "said", "at"),
    [
        ([CLEAR, CLEAR], "holds", []),
        ([CLEAR, OPEN], "undecided", [1]),
        ([CLEAR, UNTESTABLE, OPEN], "not-testable", [1, 2]),
        ([UNTESTABLE, CLEAR, SMALL], "negligible", [0, 2]),
        ([SMALL, CLEAR, AGAINST, UNTESTABLE], "reversed", [0, 2, 3]),
    ],
)
def test_one_counterexample_refutes_a_claim_about_every_one(each, said, at):
    assert judge_every(each) == said
    assert exceptions(each) == at
    assert judge_each(each)[weakest(each)] == said


def test_what_is_too_small_by_itself_never_holds_among_others():
    """Above 0 after the correction for two, within the margin only before it."""
    values = np.array([0.0, 0.002, 0.001, 0.0012])
    for margin in np.linspace(0.002, 0.01, 400):
        small = weigh(values + 0.002, margin)
        if 0.014 < small.p_negligible < 0.024 and small.p_holds < 0.012:
            break
    else:
        pytest.fail("no such margin")
    assert outcome(small) == "negligible"
    assert judge_each([small, CLEAR]) == ["undecided", "holds"]
    assert judge_every([small, CLEAR]) == "undecided"


def test_all_must_hold_by_themselves_and_need_no_correction():
    values = np.array([0.0, 0.01, 0.005, 0.002]) - 0.00425
    for shift in np.linspace(0, 0.03, 300):
        weak = weigh(values + shift, 1e-6)
        if 0.014 < weak.p_holds < 0.024:
            break
    assert judge_every([weak] * 5) == "holds"
    assert set(judge_each([weak] * 5)) == {"undecided"}


def test_average_is_over_the_seeds_of_all():
    assert average([{0: 1.0, 1: 2.0, 2: 9.0}, {1: 4.0, 0: 3.0}]) == {0: 2.0, 1: 3.0}


def test_between_bounds_a_claim_needs_both():
    sure, unsure, against = [5.0, 5.1, 5.2], [-1.0, 0.0, 1.0], [-5.0, -5.1, -5.2]

    def told(least, most):
        return outcome(weigh_between(least, most, 0.5))

    assert told(sure, sure) == "holds"
    assert told(sure, [5.0, 5.1, 100.0]) == "holds"  # however far the most may be
    assert told(unsure, sure) == told(against, unsure) == "undecided"
    assert told(against, against) == told([-100.0, -5.1, -5.2], against) == "reversed"
    assert told(against, sure) == "undecided"
    assert told([-0.1, -0.11, -0.12], [0.2, 0.21, 0.22]) == "negligible"
    found, low, high = weigh_between(against, sure, 0.5), weigh(against, 0.5), weigh(sure, 0.5)
    assert found.ci == (low.ci[0], high.ci[1])
    assert found.difference == pytest.approx(0)
    assert np.isnan(found.probability)
    assert found.detectable == pytest.approx(low.detectable + 10.2)


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(0, 10)), min_size=3, max_size=6))
def test_between_bounds_the_outcome_is_what_the_interval_says(drawn):
    least, most = [at for at, _ in drawn], [at + width for at, width in drawn]
    found = weigh_between(least, most, 0.5)
    low, high = found.ci
    if min(abs(end - edge) for end in found.ci for edge in (0, 0.5, -0.5)) > 1e-6:
        said = "reversed" if high < 0 else "holds" if low > 0 else "undecided"
        assert outcome(found) == ("negligible" if low > -0.5 and high < 0.5 else said)


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=6))
def test_where_both_bounds_are_the_same_nothing_changes(values):
    a, b = weigh(values, 0.5), weigh_between(values, values, 0.5)
    assert [repr(of) for of in vars(a).values()] == [repr(of) for of in vars(b).values()]


def test_power_is_what_it_says():
    """Of many runs with the detectable difference as the true one, 80% show it."""
    rng = np.random.default_rng(0)
    runs = rng.normal(0, 1, (20_000, 6))
    # Of a known spread the formula's noncentral t is close to exact.
    true = (stats.t.ppf(0.975, 5) + stats.t.ppf(0.8, 5)) / 6**0.5
    t = (runs.mean(1) + true) / (runs.std(1, ddof=1) / 6**0.5)
    assert np.mean(t > stats.t.ppf(0.975, 5)) == pytest.approx(contrasts.POWER, abs=0.03)


def test_no_seeds_say_nothing():
    found = weigh([], 0.1)
    assert (found.n, outcome(found)) == (0, "undecided")
    assert judge_every([found, weigh([1.0, 1.1, 1.2], 0.1)]) == "undecided"
