"""Notes on a result, against cases by hand (:mod:`fedreact.notes`)."""

import numpy as np
import pytest

from fedreact import plugins
from fedreact.notes import contract, words
from fedreact.notes.scores import MethodScores, Result, last_third


def method(label, *by_seed, role="federated", balanced=(), clients=None, curves=None, **more):
    """A method with scores by seed, those of clients of each seed, and courses of each seed."""
    course = {
        seed: (np.arange(1, len(scores) + 1.0), np.array(scores, float))
        for seed, scores in enumerate(curves or [])
    }
    return MethodScores(
        label,
        role,
        dict(enumerate(by_seed)),
        {"balanced_accuracy": dict(enumerate(balanced))},
        {} if clients is None else {s: np.array(c, float) for s, c in enumerate(clients)},
        course,
        **more,
    )


def result(*methods, metric="accuracy", names=(), margin=0.01):
    sign = 1 if metric == "accuracy" else -1
    ordered = sorted(methods, key=lambda one: -sign * one.mean)
    return Result("people", metric, ordered, names, margin)


def note(name, of):
    return list(plugins.load("notes", name, "NOTE").sentences(of))


A = method("A", 0.8, 0.82, 0.84)
RIDGE = method("Ridge", 0.7, 0.71, 0.72, role="simple")
CONSTANT = method("Constant", 0.3, 0.3, 0.3, role="trivial")


# ---- Not above a baseline ------------------------------------------------------------------------


def test_nothing_is_said_of_methods_above_all_baselines():
    # A is ahead by .10, .11 and .12, so the interval is .11 +- 4.303 x .01 / sqrt(3).
    assert note("not-above-baseline", result(A, RIDGE, CONSTANT)) == []


def test_a_method_that_no_interval_puts_above_the_baseline_is_named():
    close = method("B", 0.72, 0.70, 0.73)  # ahead by .02, -.01 and .01
    (text,) = note("not-above-baseline", result(A, close, RIDGE, CONSTANT))
    assert text == (
        "1 of 2 methods, federated or alone, are not significantly better than Ridge (0.710, "
        "a simple model of each client alone): B +0.007 (−0.031 to +0.045) (95% intervals over 3 "
        "seeds)."
    )


def test_if_no_method_is_above_only_the_closest_is_shown():
    best = method("Forest, pooled", 0.9, 0.91, 0.92, role="pooled")
    (text,) = note("not-above-baseline", result(A, method("B", 0.1, 0.1, 0.1), best))
    assert text.startswith(
        "No method is significantly better than Forest, pooled (0.910, all data in one place). "
        "The best one: A −0.090"
    )


def test_what_is_not_above_a_trivial_baseline_is_said_beside_the_best_one():
    low = method("Low", 0.31, 0.28, 0.33)
    first, second = note("not-above-baseline", result(A, low, RIDGE, CONSTANT))
    assert "not significantly better than Constant (0.300, it learns nothing): Low +0.007" in first
    assert "not significantly better than Ridge" in second
    assert "A +" not in second


def test_errors_that_are_lower_are_better():
    ours = method("A", 2.0, 2.1, 2.2)
    persistence = method("Persistence", 1.0, 1.0, 1.0, role="trivial")
    (text,) = note("not-above-baseline", result(ours, persistence, metric="rmse"))
    assert (
        "The best one: A −1.10 (−1.35 to −0.85) (95% intervals over 3 seeds; positive is " in text
    )
    assert note("not-above-baseline", result(ours, method("C", 9, 9, 9, role="trivial"))) != []


def test_a_baseline_that_is_ahead_by_another_metric_is_named():
    low = method("Low", 0.1, 0.11, 0.12, balanced=(0.1, 0.1, 0.1))
    ours = method("A", 0.8, 0.82, 0.84, balanced=(0.4, 0.5, 0.6))
    ridge = method("Ridge", 0.7, 0.71, 0.72, role="simple", balanced=(0.6, 0.7, 0.8))
    texts = note("not-above-baseline", result(ours, low, ridge))
    assert texts[-1] == (
        "By balanced accuracy (0.700 against 0.500), Ridge (a simple model of each client alone) "
        "has a better mean than A, the best federated method."
    )
    behind = method("Ridge", 0.7, 0.71, 0.72, role="simple", balanced=(0.5, 0.4, 0.5))
    assert note("not-above-baseline", result(ours, behind)) == []


def test_errors_have_the_digits_that_they_need():
    near, far = method("A", 0.0218, 0.0219, 0.022), method("B", 14.6, 14.7, 14.8)
    assert result(near, metric="rmse").metric.decimals == 4
    assert result(near, far, metric="rmse").metric.decimals == 4
    assert result(far, metric="rmse").metric.decimals == 2
    assert result(near).metric.decimals == 3  # an accuracy


def test_many_methods_are_not_ahead_by_chance():
    # By itself, B is ahead: .03 +- .025, with p = .018. Of five methods, the first needs p < .005.
    b = method("B", 0.74, 0.73, 0.75)
    others = [method(f"M{i}", 0.5, 0.6, 0.5) for i in range(4)]
    assert note("not-above-baseline", result(b, RIDGE, CONSTANT)) == []
    (text,) = note("not-above-baseline", result(b, *others, RIDGE))
    assert "B +0.030 (" in text


def test_without_any_baseline_the_note_says_which_to_add():
    (text,) = note("not-above-baseline", result(A, method("Alone", 0.5, role="alone")))
    assert "grand/ridge-alone" in text
    assert note("not-above-baseline", result(RIDGE, CONSTANT)) == []


def test_with_fewer_than_three_seeds_clients_are_compared():
    ours = method("A", 0.7, clients=[[0.9, 0.6, 0.6]])
    simple = method("Ridge", 0.5, role="simple", clients=[[0.6, 0.4, 0.5]])
    # Ahead by .3, .2 and .1: .2 +- 4.303 x .1 / sqrt(3).
    (text,) = note("not-above-baseline", result(ours, simple))
    assert "A +0.200 (−0.048 to +0.448) (95% intervals over 3 clients, for these seeds)" in text
    (text,) = note("not-above-baseline", result(method("A", 0.7), method("R", 0.5, role="simple")))
    assert text.endswith("A +0.200 (fewer than three seeds and clients, so no interval).")


# ---- Still improving -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rounds", "first"),
    [(range(1, 10), 6), (range(1, 6), 2), ([1, 2, 4, 8, 16, 20], 3), ([1, 2, 3], 0)],
)
def test_the_last_third_has_three_rounds_or_more(rounds, first):
    assert last_third(np.array(rounds, float)) == first


def test_a_rise_is_the_slope_times_its_length():
    # The last third of nine rounds are 7, 8 and 9; the first six do not count.
    start = [0, 0.9, 0, 0.9, 0, 0.9]
    rising = [[*start, 0.5, 0.6 + e, 0.7] for e in (-0.01, 0, 0.01)]
    one = result(method("A", 0.7, 0.7, 0.7, curves=rising)).methods[0]
    rise = result(one).rise(one)
    assert (rise.mean, rise.low, rise.high) == pytest.approx((0.2, 0.2, 0.2))


def test_a_method_that_still_rises_is_named_with_its_interval():
    rising = [[0.2, 0.3, 0.4 + e] for e in (0, 0.01, 0.02)]
    flat = [[0.8, 0.9, 0.9], [0.9, 0.9, 0.9], [0.9, 0.9, 0.8]]
    (text,) = note(
        "still-rising",
        result(method("A", 0.4, 0.41, 0.42, curves=rising), method("B", 0.9, curves=flat)),
    )
    assert text == (
        "The accuracy of one method still improves over the last third of 3 rounds: A +0.210 "
        "(+0.185 to +0.235) (95% intervals over 3 seeds). More rounds may change the order: double "
        "rounds, and compare again."
    )


def test_a_rise_whose_interval_includes_0_is_a_maybe_and_a_small_one_is_nothing():
    maybe = [[0.2, 0.3, 0.4], [0.4, 0.4, 0.4], [0.4, 0.4, 0.5]]
    (text,) = note("still-rising", result(method("A", 0.4, curves=maybe)))
    assert text.startswith("The accuracy of these methods may still improve")
    small = [[0.4, 0.4, 0.405]] * 3
    assert note("still-rising", result(method("A", 0.4, curves=small))) == []
    assert note("still-rising", result(method("A", 0.4, curves=small), margin=0.001)) != []


def test_falling_errors_still_improve():
    falling = [[9, 8, 7]] * 3
    (text,) = note("still-rising", result(method("A", 7, curves=falling), metric="rmse"))
    assert "The root mean square error of one method still improves" in text
    assert note("still-rising", result(method("A", 9, curves=[[7, 8, 9]] * 3), metric="rmse")) == []


def test_too_few_rounds_are_said_and_baselines_have_no_course():
    (text,) = note(
        "still-rising",
        result(
            method("A", 0.4, curves=[[0.2, 0.4]]),
            method("Ridge", 0.4, role="simple", curves=[[0.4]]),
        ),
    )
    assert text == (
        "Whether scores still improve cannot be seen: A has fewer than 3 scored rounds."
    )


def test_a_method_that_takes_two_rounds_has_no_course_beside_others_that_take_more():
    flat = method("Trained", 0.5, curves=[[0.5] * 9] * 3)
    assert note("still-rising", result(flat, method("Solved", 0.4, curves=[[0.2, 0.4]] * 3))) == []


def test_scores_that_fall_are_named_and_small_falls_are_not():
    falling = [[0.9, 0.8, 0.7], [0.9, 0.8, 0.71], [0.9, 0.8, 0.69]]
    (text,) = note("getting-worse", result(method("A", 0.7, curves=falling)))
    assert text.startswith(
        "The accuracy gets worse over the last third of the rounds: A −0.200 (−0.225 to −0.175)"
    )
    assert note("getting-worse", result(method("A", 0.4, curves=[[0.4, 0.4, 0.395]] * 3))) == []
    assert (
        note("getting-worse", result(method("A", 7, curves=[[9, 8, 7]] * 3), metric="rmse")) == []
    )


def test_a_baseline_below_a_constant_is_named():
    bad = method("Rocket", 0.1, 0.11, 0.12, role="simple")
    texts = note("weak-baseline", result(A, RIDGE, bad, CONSTANT))
    assert texts == [
        "Rocket −0.190 (−0.215 to −0.165) is worse than Constant, which learns nothing, so methods "
        "should not be judged by such a baseline."
    ]


def test_an_interval_above_0_that_holm_does_not_pass_is_explained():
    # C is ahead of Ridge by .01, .02 and .02: p = .019, and .057 as the best of three.
    c = method("C", 0.71, 0.73, 0.74)
    d = method("D", 0.70, 0.70, 0.70)
    texts = note("not-above-baseline", result(c, d, method("E", 0.69, 0.7, 0.7), RIDGE))
    assert "C is not significantly better after Holm's correction for all 3" in texts[0]


def test_differences_are_by_client_where_all_seeds_test_the_same_series():
    """The ridge has one score in all seeds; A is ahead of it by .1, .2 and .3 for three clients."""
    ours = method("A", 0.6, 0.61, 0.62, clients=[[0.5, 0.6, 0.7]] * 3)
    ridge = method("Ridge", 0.4, 0.4, 0.4, role="simple", clients=[[0.4, 0.4, 0.4]] * 3)
    same = result(ours, ridge)
    assert same.is_same_test
    gap = same.difference(ours, ridge)
    assert (gap.units, gap.n) == ("clients", 3)
    assert gap.mean == pytest.approx(0.2)
    assert words.of_clients(same, ours, ridge) == "3 of 3 clients and worse for 0 (median +0.200)"
    each = [[0.4, 0.4, 0.4], [0.3, 0.5, 0.4], [0.5, 0.3, 0.4]]  # the same means, by other tests
    other = method("Ridge", 0.4, 0.4, 0.4, role="simple", clients=each)
    assert result(ours, other).difference(ours, other).units == "seeds"


# ---- Order open, decided by one client or by labels ---------------------------------------------


def test_methods_that_intervals_order_are_not_mentioned():
    second, third = method("B", 0.7, 0.72, 0.74), method("C", 0.5, 0.55, 0.45)
    assert note("order-open", result(A, second, third)) == []
    near = method("B", 0.82, 0.80, 0.83)
    (text,) = note("order-open", result(A, near, third, CONSTANT))
    assert text == (
        "The intervals leave an order open among the first three methods (A 0.820, B 0.817 and C "
        "0.500): A leads B by +0.003 (−0.048 to +0.055) (95% intervals over 3 seeds)."
    )


def test_a_client_without_whom_the_order_turns_is_named():
    # By A, Anna gains .9 over B, and the other two lose .1 each.
    a = method("A", 0.6, clients=[[1.0, 0.4, 0.4]])
    b = method("B", 0.3667, clients=[[0.1, 0.5, 0.5]])
    (text,) = note("decided-by-one", result(a, b, names=["Anna", "Ben", "Cleo"]))
    assert text == (
        "One client decides the order of the first two methods, A and B. Without client Anna, B is "
        "ahead: 0.500 against 0.400."
    )


def test_any_of_several_clients_may_decide():
    a = method("A", 0.6, clients=[[0.9, 0.9, 0.0, 0.6]])
    b = method("B", 0.575, clients=[[0.6, 0.7, 0.3, 0.7]])
    # A is ahead by .3, .2, -.3 and -.1, .1 in sum: without one of the first two, it is behind.
    (text,) = note("decided-by-one", result(a, b, names=["Anna", "Ben", "Cleo", "Dan"]))
    assert "Without clients Anna and Ben, each left out, B is ahead: 0.567 against 0.500 (" in text


def test_an_order_that_each_client_leaves_as_it_is_is_not_mentioned():
    a = method("A", 0.6, clients=[[0.6, 0.6, 0.6]])
    b = method("B", 0.5, clients=[[0.5, 0.5, 0.5]])
    assert note("decided-by-one", result(a, b, names=["Anna", "Ben", "Cleo"])) == []
    assert note("decided-by-one", result(A, RIDGE)) == []


def test_labels_whose_frequency_decides_the_order():
    a = method("A", 0.9, 0.8, balanced=(0.5, 0.6))
    b = method("B", 0.8, 0.7, balanced=(0.6, 0.7))
    (text,) = note("decided-by-labels", result(a, b, CONSTANT))
    assert text == (
        "Frequent labels decide the order of the first two methods, A and B. If each label counts "
        "alike (balanced accuracy), B is ahead: 0.650 against 0.550."
    )
    assert note("decided-by-labels", result(a, b, margin=0.2)) == []
    assert note("decided-by-labels", result(b, method("C", 0.1, balanced=(0.1,)))) == []
    assert note("decided-by-labels", result(A, RIDGE)) == []


# ---- All notes -----------------------------------------------------------------------------------


def test_notes_are_ordered_and_name_their_setting_if_there_are_several(tmp_path, monkeypatch):
    maybe = [[0.2, 0.3, 0.4]] * 3
    one = result(method("A", 0.4, 0.4, 0.4, curves=maybe), RIDGE, CONSTANT)
    titles = [title for title, _ in contract.of_result(one)]
    assert titles == ["Not above a baseline", "Still improving"]
    assert contract.of_results([one])[0].startswith("Not above a baseline. No method")
    assert contract.of_results([one, one])[0].startswith("people: Not above a baseline. No method")
    own = tmp_path / "own/notes/few_people.py"
    own.parent.mkdir(parents=True)
    own.write_text(
        "from fedreact.notes.contract import Note\n"
        "NOTE = Note('Few people', 0, lambda result: ['There are few.'])\n"
    )
    monkeypatch.chdir(tmp_path)
    assert contract.of_result(one)[0] == ("Few people", "There are few.")


# ---- Too easy ------------------------------------------------------------------------------------


def test_methods_that_are_always_right_leave_nothing_to_compare():
    perfect = [method(label, 1.0, 1.0, 1.0) for label in ("B", "C", "D")]
    (text,) = note("too-easy", result(*perfect, A, CONSTANT))
    assert text.startswith("3 of 4 methods that learn reach 1.000 in every run")
    assert note("order-open", result(*perfect, A, CONSTANT)) == []  # nor has their order a gap
    assert note("too-easy", result(*perfect[1:], A, CONSTANT)) == []
    nearly = method("B", 1.0, 0.99, 1.0)
    assert note("too-easy", result(nearly, *perfect[1:], CONSTANT)) == []


def test_the_best_error_is_none():
    perfect = [method(label, 0.0, 0.0, 0.0) for label in ("B", "C", "D")]
    (text,) = note("too-easy", result(*perfect, CONSTANT, metric="rmse"))
    assert "3 of 3 methods that learn reach 0.000" in text
