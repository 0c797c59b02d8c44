"""The smallest difference that matters to a claim."""

import pytest

from fedreact.claims import margins
from fedreact.claims.contract import Claim
from fedreact.claims.margins import Effect

PRINTED = {
    "metric": "accuracy",
    "columns": ["ours", "a", "b", "c"],
    "rows": {"10": [0.92, 0.8, 0.915, 0.92]},
    "unsure": {"10": {"c": "blurred"}},
}


def claim(**more):
    given = {"claim": "c", "source": "s", "table": "t", "relation": "better", "left": "ours"}
    return Claim(**given | more)


def test_it_is_a_quarter_of_the_published_difference():
    effect = margins.published(PRINTED, claim(), "accuracy", "10", "a")
    assert effect.difference == pytest.approx(0.12)
    assert margins.of_comparison(claim(), effect, 0.5) == pytest.approx(0.03)


def test_it_is_at_least_half_of_the_last_printed_digit():
    effect = margins.published(PRINTED, claim(), "accuracy", "10", "b")
    assert effect.half_unit == 0.005  # 0.92 has two decimals, though 0.915 has three
    assert margins.of_comparison(claim(), effect, 0.5) == 0.005


def test_it_is_the_usual_one_where_nothing_is_published_or_it_is_in_doubt():
    assert margins.published(PRINTED, claim(), "accuracy", "10", "c") is None
    assert margins.published(PRINTED, claim(), "accuracy", "50", "a") is None
    assert margins.published(PRINTED, claim(), "rand", "10", "a") is None
    assert margins.of_comparison(claim(), None, 0.5) == 0.5


def test_it_is_the_claims_own_if_it_names_one():
    assert margins.of_comparison(claim(margin=0.02), Effect(0.4, 0.0), 0.5) == 0.02


def test_of_equality_it_is_at_least_the_difference_that_the_paper_calls_equal():
    same = claim(relation="equal")
    assert margins.of_comparison(same, Effect(-0.01, 0.005), 0.01) == pytest.approx(0.015)
    assert margins.of_comparison(same, Effect(0.001, 0.0005), 0.01) == 0.01


def test_of_an_average_it_is_of_the_average_of_what_is_published():
    effects = [Effect(0.3, 0.005), Effect(-0.1, 0.0005), None]
    assert margins.of_average(claim(), effects, 0.5) == pytest.approx(0.025)
    assert margins.of_average(claim(), [None, None], 0.5) == 0.5


def test_a_difference_to_a_number_and_a_smaller_error_are_positive_as_claimed():
    above = claim(value=0.5, relation="higher")
    assert margins.published(PRINTED, above, "accuracy", "10", "0.5").difference == pytest.approx(
        0.42
    )
    errors = PRINTED | {"metric": "rmse"}
    effect = margins.published(errors, claim(), "rmse", "10", "a")
    assert effect.difference == pytest.approx(-0.12)
