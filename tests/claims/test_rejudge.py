"""Claims judged again from their csv: as on scores, and by today's margins."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedreact.claims.contract import Claim
from fedreact.claims.contrasts import Evidence, judge_each, weigh, weigh_between
from fedreact.claims.judged import COLUMNS, judgement
from fedreact.claims.rejudge import recovered, rejudged
from fedreact.errors import UserError

VALUES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=0, max_size=5)
WIDTHS = st.lists(st.floats(0.01, 1).map(lambda x: round(x, 2)), min_size=5, max_size=5)


def line(evidence, relation="better"):
    """What the csv has of it, in all its digits."""
    return {
        **{key: getattr(evidence, key) for key in ("difference", "probability", "detectable")},
        **{"ci_low": evidence.ci[0], "ci_high": evidence.ci[1], "n_seeds": evidence.n},
        **{"relation": relation, "reason": ""},
    }


def numbers(evidence: Evidence):
    flat = [*evidence.ci, *(v for k, v in vars(evidence).items() if k not in ("ci", "untestable"))]
    return np.asarray(flat, dtype=float)


@given(VALUES, st.booleans())
def test_what_seeds_say_is_recovered(values, equal):
    evidence = weigh(values, 0.05, equal)
    again = recovered(line(evidence, "equal" if equal else "better"), 0.05)
    assert numbers(again) == pytest.approx(numbers(evidence), abs=1e-6, nan_ok=True)


@given(VALUES.filter(lambda values: len(set(values)) >= 2), WIDTHS)
def test_bounds_are_recovered(least, widths):
    evidence = weigh_between(least, [a + w for a, w in zip(least, widths)], 0.05)
    again = recovered(line(evidence), 0.05)
    assert numbers(again) == pytest.approx(numbers(evidence), abs=1e-6, nan_ok=True)


def table(*values, margin=0.005, name="a"):
    """A judged claim about every one of these."""
    each = [weigh(v, margin) for v in values]
    about = {"paper": "p", "claim": name, "reading": "", "metric": "accuracy", "margin": margin}
    names = [(str(i), "x") for i in range(len(values))]
    whole = weigh(np.mean(values, axis=0), margin)
    lines = [about | line(whole) | {"at": "", "right": ""} | judgement("every", whole, each, names)]
    for (at, right), one, said in zip(names, each, judge_each(each)):
        lines.append(about | line(one) | {"at": at, "right": right, "outcome": said})
    return pd.DataFrame(lines, columns=COLUMNS)


CLAIM = {"claim": "a", "source": "s", "table": "t", "relation": "better", "left": "l"}
LARGE, SMALL = [0.05, 0.06, 0.055], [0.01, 0.011, 0.012]


def test_the_same_margin_gives_the_same_outcomes():
    before = table(LARGE, SMALL)
    after = rejudged(before, {"a": Claim(**CLAIM)}, {"accuracy": 0.005})
    pd.testing.assert_frame_equal(after, before, check_dtype=False)
    assert after["outcome"].tolist() == ["holds"] * 3


def test_a_larger_margin_makes_a_small_difference_negligible():
    after = rejudged(table(LARGE, SMALL), {"a": Claim(**CLAIM)}, {"accuracy": 0.03})
    assert after["outcome"].tolist() == ["negligible", "holds", "negligible"]
    assert after["margin"].tolist() == [0.03] * 3
    assert after["exceptions"][0] == "1 (negligible)"
    of_its_own = Claim(**CLAIM, margin=0.005)
    assert rejudged(table(LARGE, SMALL), {"a": of_its_own}, {})["outcome"][0] == "holds"


def test_a_claim_about_the_average_is_judged_by_it():
    claim = Claim(**CLAIM, over="average")
    after = rejudged(table(LARGE, [-x for x in SMALL]), {"a": claim}, {"accuracy": 0.005})
    assert after["outcome"].tolist() == ["holds", "holds", "reversed"]


def test_claims_that_are_unknown_or_have_no_margin_are_named():
    with pytest.raises(UserError, match=r"claims.yaml has no a, which was judged"):
        rejudged(table(LARGE), {}, {})
    with pytest.raises(UserError, match="a: there is no margin of accuracy"):
        rejudged(table(LARGE), {"a": Claim(**CLAIM)}, {})
