"""What it took until a score was reached."""

from dataclasses import replace

import pandas as pd
import pytest

from fedreact.errors import UserError
from fedreact.tables import cells
from fedreact.tables.cells import CellRules
from fedreact.tables.reached import reached, until_the_worse
from fedreact.tables.sources import CellSource

PUBLISHED = {"source": "nothing", "data": "", "metric": "", "columns": [], "rows": {}}
PUBLISHED |= {"unstated": {}}
RULES = CellRules(["minutes", "accuracy"], last=True, reference="A", reaching="accuracy")
LAYOUT = [CellSource("s", name.upper(), "s/all", name) for name in "abc"]

# Accuracy after 10, 20 and 30 minutes, by seed.
CURVES = {
    "a": ([0.2, 0.6, 0.8], [0.4, 0.45, 0.8]),
    "b": ([0.1, 0.2, 0.45], [0.1, 0.2, 0.55]),  # the worst in the end: .5 on average
    "c": ([0.5, 0.9, 0.4], [0.5, 0.5, 0.7]),
}


def scores(curves=CURVES, better="accuracy"):
    lines = [
        ["s", "d", seed, name, t, 10.0 * t, value, "s/all", f"s/all/seed{seed}.csv"]
        for name, seeds in curves.items()
        for seed, values in enumerate(seeds)
        for t, value in enumerate(values, start=1)
    ]
    columns = ["setting", "data", "seed", "method", "round", "minutes", better, "folder", "file"]
    found = pd.DataFrame(lines, columns=columns)
    # As they are read: each seed is a file, whose lines are counted from 0 on.
    return pd.concat([of.reset_index(drop=True) for _, of in found.groupby("seed")])


def minutes(found):
    return {key: part["minutes"].tolist() for key, part in found.groupby("method")}


def test_the_target_is_what_the_worst_has_in_the_end_by_hand():
    found = reached(LAYOUT, RULES, scores())
    # A: .6 after 20 minutes, and .8 after 30. B's first seed ends below its mean. C has .5 at once.
    assert minutes(found) == {"a": [20, 30], "b": [30], "c": [10, 10]}


def test_of_errors_the_target_is_the_largest():
    rules = replace(RULES, metrics=["minutes", "rmse"], reaching="rmse")
    errors = {"a": ([3.0, 2.0, 1.0],), "b": ([5.0, 4.0, 2.5],), "c": ([2.5, 9.0, 2.0],)}
    assert minutes(reached(LAYOUT, rules, scores(errors, "rmse"))) == {
        "a": [20],
        "b": [30],
        "c": [10],
    }


def test_rows_and_settings_have_targets_of_their_own():
    other = scores().assign(folder="t/all", setting="t", accuracy=lambda of: of["accuracy"] / 2)
    layout = [*LAYOUT, *(replace_row(place) for place in LAYOUT)]
    found = reached(layout, RULES, pd.concat([scores(), other]))
    by = {name: minutes(part) for name, part in found.groupby("setting")}
    assert by["s"] == by["t"]


def replace_row(place):
    return CellSource("t", place.column, "t/all", place.method)


def test_a_table_of_it():
    taken = reached(LAYOUT, RULES, scores())
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, taken, [])
    of = table[table["metric"] == "minutes"].set_index("column")
    assert of["mean"].to_dict() == {"A": 25, "B": 30, "C": 10}
    assert of["n_seeds"].to_dict() == {"A": 2, "B": 1, "C": 2}
    assert of.loc["C", "gap"] == pytest.approx(-15)


def test_without_a_target_nothing_is_taken_away():
    rules = replace(RULES, reaching=None)
    assert reached(LAYOUT, rules, scores()).equals(scores())


def test_what_is_no_score_cannot_be_reached():
    with pytest.raises(UserError, match=r"^reaching: n_clusters is no score"):
        reached(LAYOUT, replace(RULES, reaching="n_clusters"), scores())


def beyond(ours, theirs, score="accuracy", cost="minutes"):
    found = until_the_worse(ours, theirs, score, cost)
    return [of.to_dict() for of in found]


def of(name, curves=CURVES, better="accuracy"):
    return scores(curves, better)[lambda lines: lines["method"] == name]


def test_two_methods_are_compared_at_what_the_worse_has_in_the_end_of_each_seed_by_hand():
    # Seed 0: .45, which A has .25 of .4 of the way from 10 to 20 minutes. Seed 1: .55, for which A
    # goes .1 of .35 of the way from 20 to 30.
    least, most = beyond(of("a"), of("b"))
    assert least == most == pytest.approx({0: 16.25 - 30, 1: 20 + 10 * 0.1 / 0.35 - 30})
    other = {seed: -value for seed, value in least.items()}
    assert beyond(of("b"), of("a")) == [other, other]


def test_a_method_beside_itself_costs_the_same_whatever_its_curve():
    for name in "ab":
        assert beyond(of(name), of(name)) == [{0: 0, 1: 0}, {0: 0, 1: 0}]


def test_what_the_first_scored_round_hides_is_between_nothing_and_all_of_it():
    """C's first seed ends at .4, and has .5 by then; its second has .7 as A goes on to .8."""
    at = 10 + 10 * 0.2 / 0.4  # of A, at .4
    second = 20 + 10 * 0.25 / 0.35 - 30
    least, most = beyond(of("a"), of("c"))
    assert least == pytest.approx({0: at - 10, 1: second})
    assert most == pytest.approx({0: at - 0, 1: second})
    least, most = beyond(of("c"), of("a"))
    assert least == pytest.approx({0: 0 - at, 1: -second})
    assert most == pytest.approx({0: 10 - at, 1: -second})


def test_of_two_that_are_there_by_the_first_scored_round_nothing_is_known():
    flat = {"a": ([0.5, 0.5, 0.5],), "b": ([0.6, 0.6, 0.6],)}
    assert beyond(of("a", flat), of("b", flat)) == [{0: -10}, {0: 10}]


def test_a_seed_that_diverged_says_nothing():
    """Else what it had before would count as its end."""
    ours = of("a")
    gone = (ours["seed"] == 0) & (ours["round"] == 3)
    found = beyond(ours.assign(accuracy=ours["accuracy"].mask(gone)), of("b"))
    assert [list(each) for each in found] == [[1], [1]]


def test_smaller_errors_are_reached_later():
    errors = {"a": ([4.0, 2.0, 1.0],), "b": ([5.0, 4.0, 3.0],)}
    assert beyond(of("a", errors, "rmse"), of("b", errors, "rmse"), "rmse") == [{0: -15}, {0: -15}]


def test_only_seeds_of_both_are_compared():
    one = of("b")[lambda lines: lines["seed"] == 1]
    assert [list(found) for found in beyond(of("a"), one)] == [[1], [1]]
    with pytest.raises(UserError, match=r"^reaching: n_clusters is no score"):
        beyond(of("a"), one, "n_clusters")
