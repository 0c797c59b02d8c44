"""Plots that the page draws itself."""

from itertools import pairwise
from math import inf, nan

import pytest
from report_of_papers import paper

from fedreact.claims.contrasts import OUTCOMES
from fedreact.report import content, plots
from fedreact.report.claims import JudgedDifference


def line(difference=0.2, low=0.1, high=0.3, published=0.25, outcome="holds"):
    return JudgedDifference(
        outcome, difference, low, high, published, 0.01, "", "", "+0.2", "+0.25"
    )


def test_an_axis_has_zero_in_its_middle_and_ends_at_the_largest():
    axis = plots.Axis(0.5, 100)
    assert [axis(v) for v in (-0.5, 0, 0.25, 0.5, 9, -inf)] == [0, 50, 75, 100, 100, 0]
    root = plots.Axis(0.64, 100, root=True)
    assert [root(v) for v in (0, 0.16, -0.04)] == [50, 75, 37.5]


@pytest.mark.parametrize("most", [0.003, 0.4, 1.15, 37.0, 4200.0])
@pytest.mark.parametrize("root", [True, False])
def test_ticks_are_round_and_apart(most, root):
    axis = plots.Axis(most, 380, root)
    places = sorted(axis(v) for v in axis.ticks(40))
    assert len(places) >= 3
    assert all(b - a >= 40 for a, b in pairwise(places))


def test_outcomes_have_shapes_of_their_own():
    drawn = {outcome: plots.mark(outcome, 5, 5) for outcome in OUTCOMES}
    assert [text.split()[0] for text in drawn.values()] == [
        "<circle",
        "<rect",
        "<path",
        "<circle",
        "<path",
    ]
    assert len(set(drawn.values())) == len(OUTCOMES)


def test_a_forest_line_shows_what_there_is():
    assert plots.forest_line(line(), 1).count("<path") == 3  # zero, interval, published
    assert plots.forest_line(line(low=nan, high=nan, published=nan), 1).count("<path") == 1
    assert 'aria-label="holds: +0.2; published +0.25"' in plots.forest_line(line(), 1)


def test_axes_hold_differences_but_not_wide_intervals():
    assert plots.largest([line(low=-90, high=90)]) == pytest.approx(1.15 * 0.25)
    assert plots.largest([line(difference=0.0, published=nan)]) == pytest.approx(1.15 * 0.02)


def test_each_claim_is_a_point_that_leads_to_it(tmp_path):
    (found,) = content.read([paper(tmp_path)])
    drawn = plots.effects(found.all_claims)
    assert drawn.count("<a href=") == 2
    assert 'href="#first-claim-a1-is-better"' in drawn
    assert "A1 beats SC &amp; others." in drawn
