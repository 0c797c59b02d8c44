"""Which differences say something about two methods."""

import pytest

from fedreact.claims.testable import chance_level, why_not
from fedreact.task import Task

NAN = float("nan")


def ask(means=(0.5, 0.4), low=0.3, chance=0.1, trivial=None, better="higher", right="FedAvg"):
    return why_not(("Ours", right), means, low, chance, trivial or {}, better)


@pytest.mark.parametrize(
    ("low", "said"), [(0.1, "FedAvg not significantly above chance"), (0.11, "")]
)
def test_a_baseline_must_be_above_chance(low, said):
    assert ask(low=low) == said


def test_a_baseline_without_an_interval_or_a_score_without_chance_is_not_asked():
    assert ask(low=NAN) == ""
    assert ask(low=0.0, chance=None) == ""


def test_a_trivial_predictor_must_not_be_ahead_of_both():
    assert ask(trivial={"Constant": 0.6}) == "Constant ahead of both"
    assert ask(trivial={"Constant": 0.45, "Persistence": 0.5}) == ""
    errors = {"means": (0.5, 0.4), "low": 0.3, "chance": None, "better": "lower"}
    assert ask(**errors, trivial={"Constant": 0.35}) == "Constant ahead of both"
    assert ask(**errors, trivial={"Constant": 0.45}) == ""


def test_a_claim_against_a_trivial_predictor_is_testable():
    trivial = {"Constant": 0.1, "Persistence": 0.9}
    assert ask(right="Constant", low=0.1, trivial=trivial) == ""


def test_chance_is_that_of_a_guess_among_the_labels():
    assert chance_level("accuracy", Task("classification", 4, 1, 8)) == 0.25
    assert chance_level("f1", Task("classification", 4, 1, 8)) is None
    assert chance_level("accuracy", Task("multi-label", 4, 1, 8)) is None
