"""Rows in which a predictor that learns nothing is ahead."""

import pandas as pd
import pytest

from fedreact.tables import cells, notes
from fedreact.tables.sources import CellSource
from fedreact.tables.trivial import (
    FLAG,
    Score,
    ahead,
    flagged,
    flagged_labels,
    is_of_predictions,
)

NAN = float("nan")
CONSTANT, TWO = ["Constant"], ["Constant", "Persistence"]


def one(ours, best, constant, half=0.05, better="higher", reference="Ours", **more):
    """A row of two methods and a constant, each with an interval of ± half."""
    means = {"Ours": ours, "Best": best, "Constant": constant} | more
    scores = {label: Score(mean, mean - half, mean + half) for label, mean in means.items()}
    return ahead(scores, TWO, reference, better)


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        (0.70, None),
        (0.79, None),  # below ours, and below .86 to .96, the interval of the best
        (0.81, "Constant"),  # above ours (.80)
        (0.87, "Constant"),
    ],
)
def test_the_constant_may_not_be_ahead_of_the_reference(constant, said):
    assert one(0.80, 0.91, constant) == said


@pytest.mark.parametrize(
    ("constant", "said"), [(0.849, None), (0.85, "Constant"), (0.89, "Constant")]
)
def test_the_best_method_must_be_significantly_above_the_constant(constant, said):
    # The best has .90 (.85 to .95), and is the reference.
    assert one(0.90, 0.60, constant) == said
    assert one(0.90, 0.60, constant, reference=None) == said
    assert one(0.60, 0.90, constant, reference=None) == said


def test_errors_are_better_if_lower():
    # The best has .20 (.15 to .25), the reference .40.
    assert one(0.40, 0.20, 0.30, better="lower") == "Constant"  # ahead of the reference
    assert one(0.40, 0.20, 0.25, better="lower", reference="Best") == "Constant"
    assert one(0.40, 0.20, 0.26, better="lower", reference="Best") is None
    assert one(0.40, 0.20, 0.45, better="lower") is None


def test_the_best_of_several_trivial_predictors_counts():
    assert one(0.80, 0.91, 0.5, Persistence=0.88) == "Persistence"
    assert one(0.80, 0.91, 0.85, Persistence=0.81) == "Constant"


def test_with_one_seed_means_are_compared():
    scores = {"Ours": Score(0.9, NAN, NAN), "Constant": Score(0.89, NAN, NAN)}
    assert ahead(scores, CONSTANT, "Ours", "higher") is None
    scores["Constant"] = Score(0.9, NAN, NAN)
    assert ahead(scores, CONSTANT, "Ours", "higher") == "Constant"


def test_a_row_without_a_trivial_predictor_or_without_methods_has_none_ahead():
    alone = {"Constant": Score(0.9, 0.8, 1)}
    assert ahead(alone, CONSTANT, None, "higher") is None
    assert ahead({"Ours": Score(0.9, 0.8, 1)}, CONSTANT, "Ours", "higher") is None
    # A trivial predictor may itself be the reference.
    both = alone | {"Ours": Score(0.95, 0.94, 0.96), "Persistence": Score(0.92, 0.9, 0.93)}
    assert ahead(both, TWO, "Constant", "higher") is None


def test_costs_and_spreads_are_not_scores_of_predictions():
    assert all(map(is_of_predictions, ("accuracy", "smape")))
    assert not any(map(is_of_predictions, ("minutes", "accuracy:var", "rand", "gflops")))
    assert not is_of_predictions("accuracy@worst_fifth")
    assert is_of_predictions("accuracy@worst_fifth", some_clients=True)
    assert not is_of_predictions("accuracy@worst_fifth:var", some_clients=True)


# ---- Tables -------------------------------------------------------------------------------------

MEANS = {
    # As in the benchmark at scale overnight: the constant is ahead of Fed-REACT on EEG.
    ("EEG", "Fed-REACT", "accuracy"): 0.803,
    ("EEG", "FedRoD", "accuracy"): 0.895,
    ("EEG", "Constant", "accuracy"): 0.812,
    ("EEG", "Fed-REACT", "gflops"): 20,
    ("EEG", "Constant", "gflops"): 0,
    ("HAR", "Fed-REACT", "accuracy"): 0.931,
    ("HAR", "FedRoD", "accuracy"): 0.955,
    ("HAR", "Constant", "accuracy"): 0.195,
    ("HAR", "Fed-REACT", "gflops"): 20,
    ("HAR", "Constant", "gflops"): 0,
}


def lines(turned=False):
    built = [
        {"row": row, "column": column, "metric": metric, "mean": mean}
        for (row, column, metric), mean in MEANS.items()
    ]
    table = pd.DataFrame(built).assign(ci_low=lambda t: t["mean"] - 0.02)
    table = table.assign(ci_high=table["mean"] + 0.02)
    return table.rename(columns={"row": "column", "column": "row"}) if turned else table


@pytest.mark.parametrize("turned", [False, True])
def test_settings_are_rows_or_columns(turned):
    methods_are = "row" if turned else "column"
    found = flagged(lines(turned), CONSTANT, "Fed-REACT", methods_are)
    assert found == {("EEG", "accuracy"): "Constant"}
    assert flagged(lines(turned), [], "Fed-REACT", methods_are) == {}
    assert flagged(lines(turned), CONSTANT, "FedRoD", methods_are) == {}
    rules = cells.CellRules(
        ["accuracy"], methods_are=methods_are, reference="Fed-REACT", trivial=CONSTANT
    )
    marked = rules.with_flags(lines(turned))
    assert (marked["flag"] == FLAG).sum() == 3
    assert flagged_labels(marked) == {("EEG", "accuracy")}
    assert flagged_labels(lines(turned)) == set()  # of a run that was kept before there were flags


def test_a_table_flags_cells_and_says_so(tmp_path):
    by_seed = {"a": [0.80, 0.81, 0.79], "b": [0.90, 0.91, 0.89], "c": [0.85, 0.85, 0.85]}
    scores = pd.DataFrame(
        {"folder": "f", "setting": "s", "data": "d", "seed": seed, "method": method, "round": 1}
        | {"accuracy": value}
        for method, values in by_seed.items()
        for seed, value in enumerate(values)
    )
    layout = [CellSource("EEG", name, "f", name) for name in by_seed]
    rules = cells.CellRules(["accuracy"], reference="a", trivial=["c"])
    nothing = {"rows": {}, "columns": [], "unstated": {}, "data": "", "metric": "", "source": ""}
    built = cells.build("t", layout, rules, nothing, scores, [])
    assert built["flag"].tolist() == [FLAG] * 3
    built.to_csv(tmp_path / "t.csv", index=False)
    read = cells.read(tmp_path / "t.csv")
    assert flagged_labels(read) >= {("EEG", "accuracy")}
    (note,) = notes.trivial_ahead(read, rules)
    assert note.text == (
        "Trivial predictor ahead: by Accuracy, c is better than a, or not significantly worse than "
        "the best method."
    )
    # Against b, which is significantly better, it is not ahead.
    rules = cells.CellRules(["accuracy"], reference="b", trivial=["c"])
    built = cells.build("t", layout, rules, nothing, scores, [])
    assert built["flag"].isna().all()
    assert notes.trivial_ahead(built, rules) == []
