"""Claims judged again from their csv: as on scores, and by today's margins."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedreact.claims.contract import Claim
from fedreact.claims.contrasts import Evidence, judge_each, weigh, weigh_between
from fedreact.claims.judged import COLUMNS, corrected, judgement
from fedreact.claims.rejudge import RejudgeInputs, recovered, rejudged
from fedreact.errors import UserError
from fedreact.task import Task

VALUES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=0, max_size=5)
WIDTHS = st.lists(st.floats(0.01, 1).map(lambda x: round(x, 2)), min_size=5, max_size=5)


def line(evidence, relation="better"):
    """What the csv has of it, in all its digits."""
    return {
        **{key: getattr(evidence, key) for key in ("difference", "probability", "detectable")},
        **{"ci_low": evidence.ci[0], "ci_high": evidence.ci[1], "n_seeds": evidence.n},
        **{"relation": relation, "reason": "", "averaged": ""},
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
        labels = {"at": at, "left": "l", "right": right}
        lines.append(about | line(one) | labels | {"outcome": said})
    return corrected(pd.DataFrame(lines, columns=COLUMNS))


CLAIM = {"claim": "a", "source": "s", "table": "t", "relation": "better", "left": "l"}


def kept(usual, levels=None, **of_claim):
    about = {"margins": {"accuracy": usual}, "trivial": ["constant"]}
    tasks = {"digits": Task("classification", 10, 3, 100)}
    return RejudgeInputs({"a": Claim(**CLAIM, **of_claim)}, about, {}, levels or {}, tasks)


def test_an_average_over_datasets_is_left_to_the_scores_if_other_rows_count():
    def inputs(*flagged, data=("har", "hhar")):
        levels = {
            ("t", str(i), label, "accuracy"): {"data": name, "mean": 0.9, "ci_low": 0.8}
            for i, name in enumerate(data)
            for label in ("l", "x")
        }
        asked = {"a": Claim(**CLAIM, right=("x",), over="average")}
        about = {"margins": {"accuracy": 0.005}, "means_over": "datasets"}
        flags = {"t": {(label, "accuracy") for label in flagged}}
        return RejudgeInputs(asked, about, {}, levels, flags=flags)

    before = table(LARGE, SMALL)
    after = rejudged(before, inputs())  # two datasets, each a row: the average is the same
    assert after["averaged"].tolist() == ["2 datasets", "", ""]
    assert after["difference"][0] == before["difference"][0]
    assert rejudged(after, inputs())["averaged"][0] == "2 datasets"
    for other in (inputs("1"), inputs(data=("har", "har"))):
        with pytest.raises(UserError, match=r"^a is about the average of 1 dataset today; judge"):
            rejudged(after, other)
    kept_so = after.assign(averaged=["1 dataset", "", ""])
    again = rejudged(kept_so, inputs("1"))
    assert again["reason"].tolist() == ["trivial predictor ahead", "", "trivial predictor ahead"]
    assert again["outcome"].tolist() == ["holds", "holds", "not-testable"]


LARGE, SMALL = [0.05, 0.06, 0.055], [0.01, 0.011, 0.012]


def test_the_same_margin_gives_the_same_outcomes():
    before = table(LARGE, SMALL)
    after = rejudged(before, kept(0.005))
    pd.testing.assert_frame_equal(after, before, check_dtype=False)
    assert after["outcome"].tolist() == ["holds"] * 3


def test_a_larger_margin_makes_a_small_difference_negligible():
    after = rejudged(table(LARGE, SMALL), kept(0.03))
    assert after["outcome"].tolist() == ["negligible", "holds", "negligible"]
    assert after["margin"].tolist() == [0.03] * 3
    assert after["exceptions"][0] == "1 (negligible)"
    of_its_own = kept(0.03, margin=0.005)
    assert rejudged(table(LARGE, SMALL), of_its_own)["outcome"][0] == "holds"


def test_a_claim_about_the_average_is_judged_by_it():
    average = kept(0.005, over="average")
    after = rejudged(table(LARGE, [-x for x in SMALL]), average)
    assert after["outcome"].tolist() == ["holds", "holds", "reversed"]


def test_claims_that_are_unknown_or_have_no_margin_are_named():
    with pytest.raises(UserError, match=r"claims.yaml has no a, which was judged"):
        rejudged(table(LARGE), RejudgeInputs({}, {}))
    with pytest.raises(UserError, match="a: there is no margin of accuracy"):
        rejudged(table(LARGE), RejudgeInputs({"a": Claim(**CLAIM)}, {}))


def cell(mean, low):
    return {"mean": mean, "ci_low": low, "data": "digits+share=0.5"}


@pytest.mark.parametrize(
    ("theirs", "constant", "reason"),
    [
        (cell(0.15, 0.09), 0.1, "x not significantly above chance"),
        (cell(0.15, 0.11), 0.1, ""),
        (cell(0.15, 0.11), 0.22, "constant ahead of both"),
        (cell(0.15, 0.11), 0.18, ""),  # ahead of one of the two
    ],
)
def test_a_kept_difference_is_as_testable_as_its_cells_say(theirs, constant, reason):
    cells = {"l": cell(0.2, 0.19), "x": theirs, "constant": cell(constant, constant)}
    levels = {("t", "0", label, "accuracy"): one for label, one in cells.items()}
    after = rejudged(table(LARGE), kept(0.005, levels))
    assert after["reason"].tolist() == [reason, reason]
    assert set(after["outcome"]) == {"not-testable" if reason else "holds"}
    again = rejudged(after, kept(0.005, levels, over="average"))
    assert again["outcome"][0] == after["outcome"][0]


def test_an_average_is_testable_if_one_of_its_comparisons_is():
    cells = {"l": cell(0.2, 0.19), "x": cell(0.15, 0.09)}
    levels = {("t", "0", label, "accuracy"): one for label, one in cells.items()}
    average = kept(0.005, levels, over="average")
    after = rejudged(table(LARGE, LARGE), average)
    assert after["outcome"].tolist() == ["holds", "not-testable", "holds"]
    assert rejudged(after, average)["outcome"].tolist() == after["outcome"].tolist()


def test_a_published_difference_sets_the_margin_of_its_comparison():
    printed = {"t": {"columns": ["l", "x"], "rows": {"0": [0.9, 0.54]}, "metric": "accuracy"}}
    before = table(LARGE, SMALL).assign(published=[None, 0.36, None])
    of_print = kept(0.005)
    after = rejudged(before, RejudgeInputs(of_print.claims, of_print.about, printed))
    # A quarter of .36, below which LARGE lies; the second has no published value.
    assert after["margin"].tolist() == pytest.approx([0.09, 0.09, 0.005])
    assert after["outcome"].tolist()[1:] == ["negligible", "holds"]


def test_a_comparison_that_is_no_longer_claimed_is_left_out():
    before = table(LARGE, [-x for x in LARGE])
    assert rejudged(before, kept(0.005))["outcome"].tolist() == ["reversed", "holds", "reversed"]
    after = rejudged(before, kept(0.005, at=("0",)))
    assert after["outcome"].tolist() == ["holds", "holds"]
    assert after["difference"].tolist() == pytest.approx([np.mean(LARGE)] * 2)
    assert after["ci_low"].isna().tolist() == [True, False]  # an average's needs the scores
    with pytest.raises(UserError, match="a is about the average of other comparisons"):
        rejudged(before, kept(0.005, at=("0",), over="average"))
