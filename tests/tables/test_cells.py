"""Cells: what was rebuilt, what was published, and how the two compare."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from small_table import LAYOUT, LOST, METRICS, PUBLISHED, folder, scores

from fedreact.errors import UserError
from fedreact.intervals import summarise
from fedreact.tables import cells
from fedreact.tables import published as published_values
from fedreact.tables.sources import CellSource


def built(published=PUBLISHED, lines=None, differences=(), layout=LAYOUT, metrics=METRICS, **more):
    lines = scores() if lines is None else lines
    rules = cells.CellRules(metrics, **more)
    return cells.build("t", layout, rules, published, lines, differences)


def cell(table, row, column, metric="accuracy"):
    chosen = table[(table.row == row) & (table.column == column) & (table.metric == metric)]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_bounds_of_cells_are_those_of_their_metrics():
    seed = scores(seeds=(0, 1))["seed"]
    lines = scores(seeds=(0, 1)).assign(accuracy=0.9 + seed / 10, rmse=seed / 100)
    table = built(lines=lines, metrics=["accuracy", "rmse"])
    accuracy, rmse = (cell(table, "RTD & more", "A1", m) for m in ("accuracy", "rmse"))
    assert (accuracy["ci_low"], accuracy["ci_high"]) == (pytest.approx(0.95 - 0.635310), 1)
    assert (rmse["ci_low"], rmse["ci_high"]) == (0, pytest.approx(0.005 + 0.0635310))


def test_verdicts():
    table = built()
    assert cells.reasons(table, PUBLISHED) == {}
    a1 = cell(table, "RTD - 10 clients", "A1")
    assert (a1["mean"], a1["published"]) == (pytest.approx(0.9), 0.9)
    assert a1["verdict"] == "reproduced"
    # 0.70 with sd 0.01 over three seeds: a further seed lies within 0.70 +- 0.0497.
    assert cell(table, "RTD - 10 clients", "SC")["verdict"] == "reproduced"
    assert cell(table, "RTD & more", "SC")["verdict"] == "differs"
    assert cell(table, "RTD & more", "A1")["verdict"] == "differs"
    assert cell(table, "RTD & more", "A1")["difference"] == pytest.approx(0.4)


@pytest.mark.parametrize(("rounding", "verdict"), [(5e-5, "differs"), (5e-4, "reproduced")])
def test_published_values_are_taken_as_rounded(rounding, verdict):
    # The prediction interval ends at 0.7497: 0.750 may be a rounded 0.7496, 0.7500 may not.
    s = summarise([0.69, 0.70, 0.71])
    assert cells.judge(s, 0.75, rounding) == verdict


def test_the_interval_that_judges_stands_beside_the_cell():
    sc = cell(built(), "RTD - 10 clients", "SC")
    assert (sc["pi_low"], sc["pi_high"]) == (pytest.approx(0.6503172), pytest.approx(0.7496828))


def test_an_interval_wider_than_the_published_row_cannot_confirm():
    # A further seed lies within 0.90 +- 0.0497, a width of 0.099.
    for spread, verdict in ((0.098, "undecided"), (0.1, "reproduced")):
        rows = {"RTD - 10 clients": [0.9, 0.9 - spread, 0.9 - spread / 2]}
        table = built(PUBLISHED | {"rows": rows})
        assert cell(table, "RTD - 10 clients", "A1")["verdict"] == verdict
        # What lies outside differs, however wide the interval is.
        assert cell(table, "RTD - 10 clients", "SC")["verdict"] == "differs"


def test_where_rows_are_methods_the_spread_is_that_of_a_column():
    published = PUBLISHED | {"columns": ["A1"], "rows": {"RTD - 10 clients": [0.9], "b": [0.89]}}
    place = LAYOUT[0]
    assert cells.spread_of(published, place, cells.CellRules(METRICS)) == np.inf
    by_column = cells.CellRules(METRICS, methods_are="row")
    assert cells.spread_of(published, place, by_column) == pytest.approx(0.01)


def test_two_seeds_decide_nothing():
    table = built(lines=scores(seeds=(0, 1)))
    assert set(table[table["published"].notna()]["verdict"]) == {"undecided"}


def test_gaps_are_paired_by_seed_and_judged_like_cells():
    lines = scores()
    sc = lines["method"] == "sc"
    lines.loc[sc, "accuracy"] += lines.loc[sc, "seed"].map({0: 0.03, 1: 0.0, 2: 0.0})
    table = built(lines=lines, reference="A1")
    assert cell(table, "RTD & more", "A1")[["gap", "gap_verdict"]].isna().all()
    gap = cell(table, "RTD & more", "SC")
    # -0.17, -0.20, -0.20: mean -0.19, sd 0.0173, where each method alone has an sd of 0.01.
    assert gap["gap"] == pytest.approx(-0.19)
    assert gap["gap_high"] - gap["gap"] == pytest.approx(4.302653 * 0.0173205 / 3**0.5)
    assert gap["gap_pi_low"] == pytest.approx(-0.19 - 4.302653 * 0.0173205 * (4 / 3) ** 0.5)
    assert (gap["gap_published"], gap["gap_verdict"]) == (pytest.approx(0.1), "differs")
    assert cell(table, "RTD - 10 clients", "SC")["gap_verdict"] == "reproduced"  # -0.15
    doubted = PUBLISHED | {"unsure": {"RTD & more": {"A1": "it stands twice"}}}
    table = built(doubted, lines, reference="A1")
    assert cell(table, "RTD & more", "SC")["gap_verdict"] == "not-comparable"


def test_rounding_may_have_moved_both_values_of_a_gap():
    """Rebuilt -0.200 for sure; -0.199 may be 0.9004 less 1.0995, and -0.198 not."""
    for other, verdict in ((0.701, "reproduced"), (0.702, "differs")):
        rows = {"RTD - 10 clients": [0.9, other, 0.5]}
        table = built(PUBLISHED | {"rows": rows}, reference="A1")
        assert cell(table, "RTD - 10 clients", "SC")["gap_verdict"] == verdict


@pytest.mark.parametrize(
    ("of_a1", "of_sc", "verdict", "of_gap"),
    [
        # The interval of one further seed ends at 0.6503. 0.6 may be 0.65 by rounding; with its ±
        # it may lie inside.
        (0.12, 0.0002, "differs", "differs"),
        (0.12, 0.001, "reproduced", "differs"),
        # The gap is -0.2 for sure and +0.1 as printed. Rounding may have moved it by 0.1, and its
        # ± is sqrt(0.12^2 + 0.17^2) = 0.21.
        (0.12, 0.17, "reproduced", "reproduced"),
    ],
)
def test_what_a_paper_prints_after_plus_minus_may_move_its_values(of_a1, of_sc, verdict, of_gap):
    beside = {"plus_minus": {"RTD & more": [of_a1, of_sc, None]}}
    found = cell(built(PUBLISHED | beside, reference="A1"), "RTD & more", "SC")
    assert (found["published_plus_minus"], found["verdict"], found["gap_verdict"]) == (
        of_sc,
        verdict,
        of_gap,
    )


def test_gaps_where_rows_are_methods():
    layout = [CellSource(place.column, place.row, place.folder, place.method) for place in LAYOUT]
    table = built(layout=layout, methods_are="row", reference="A1")
    assert cell(table, "SC", "RTD & more")["gap"] == pytest.approx(-0.2)
    assert pd.isna(cell(table, "A1", "RTD & more")["gap"])


@pytest.mark.parametrize(
    ("data", "seeds", "differences", "unstated", "reason"),
    [
        ("pendigits", (0, 1), [], {}, "the paper uses rtd, this run pendigits"),
        ("rtd", (0, 1), ["fewer rounds"], {}, "fewer rounds"),
        ("rtd", (0,), [], {}, "one seed gives no interval"),
        ("rtd", (0, 1), [], {"RTD - 10 clients": "beta is lost"}, "beta is lost"),
    ],
)
def test_what_cannot_be_compared_is_not_judged(data, seeds, differences, unstated, reason):
    published = PUBLISHED | {"unstated": unstated}
    table = built(published, scores(data, seeds), differences)
    why = cells.why_not("RTD - 10 clients", data, len(seeds), published, differences)
    assert cell(table, "RTD - 10 clients", "A1")["verdict"] == "not-comparable"
    assert reason in why[0]


def test_what_is_done_otherwise_in_one_cell_is_held_against_that_cell_and_gaps_to_it():
    layout = [replace(p, unlike=("fewer steps",)) if p.method == "sc" else p for p in LAYOUT]
    table = built(layout=layout, reference="A1")
    assert cell(table, "RTD - 10 clients", "A1")["verdict"] == "reproduced"
    sc = cell(table, "RTD - 10 clients", "SC")
    assert (sc["verdict"], sc["gap_verdict"]) == ("not-comparable", "not-comparable")
    other = built(layout=layout, reference="SC")
    assert cell(other, "RTD - 10 clients", "A1")["gap_verdict"] == "not-comparable"


def test_rows_may_be_of_other_data_and_another_metric():
    published = PUBLISHED | {"data_of": {"RTD & more": "eeg"}, "metric_of": {"RTD & more": "rand"}}
    table = built(published)
    assert cells.reasons(table, published) == {"RTD & more": ["the paper uses eeg, this run rtd"]}
    assert cell(table, "RTD - 10 clients", "A1")["verdict"] == "reproduced"
    assert pd.isna(cell(table, "RTD & more", "A1")["published"])
    rand = cell(table, "RTD & more", "A1", "rand")
    assert (rand["published"], rand["verdict"]) == (0.5, "not-comparable")


def test_a_published_value_that_is_in_doubt_is_shown_and_not_judged():
    published = PUBLISHED | {"unsure": {"RTD & more": {"SC": "it stands twice"}}}
    table = built(published)
    sc = cell(table, "RTD & more", "SC")
    assert (sc["published"], sc["verdict"]) == (0.6, "not-comparable")
    assert cell(table, "RTD & more", "A1")["verdict"] == "differs"
    assert cells.reasons(table, published) == {}
    assert published_values.doubts(published) == {("RTD & more", "SC"): "it stands twice"}


def test_unpublished_cells_are_empty_and_methods_not_built_are_absent():
    table = built()
    assert pd.isna(cell(table, "RTD - 10 clients", "A1", "rand")["published"])
    assert set(table["column"]) == {"A1", "SC"}
    assert list(table.columns) == cells.COLUMNS


def test_rows_whose_labels_are_lost_stand_alone():
    table = built(LOST)
    alone = table[table["n_seeds"] == 0]
    assert alone["row"].unique().tolist() == ["Published, label lost, 1"]
    assert alone["published"].tolist() == [0.9, 0.75, 0.701]
    assert (alone["verdict"] == "not-comparable").all()
    assert alone["mean"].isna().all()
    assert table[table["n_seeds"] > 0]["published"].isna().all()
    ((row, (reason,)),) = cells.reasons(table, LOST).items()
    assert row == "Published, label lost, 1"
    assert "lacks the labels" in reason


def test_a_method_without_rand_score_has_an_empty_cell():
    soft = scores()
    soft.loc[soft["method"] == "sc", "rand"] = np.nan
    table = built(lines=soft)
    assert len(table) == 4 + 2
    assert set(table[table["metric"] == "rand"]["column"]) == {"A1"}


def test_cells_are_means_over_rounds_or_those_of_the_last():
    assert cell(built(), "RTD & more", "SC")["mean"] == pytest.approx(0.70)
    assert cell(built(last=True), "RTD & more", "SC")["mean"] == pytest.approx(0.71)


def test_the_last_round_is_that_of_each_job():
    """One has four rounds, another two."""
    longer = scores()[lambda s: s["folder"] == folder("s10")]
    longer = longer.assign(round=longer["round"] + 2, accuracy=longer["accuracy"] + 0.05)
    table = built(lines=pd.concat([longer, scores()]), last=True)
    assert cell(table, "RTD - 10 clients", "SC")["mean"] == pytest.approx(0.76)
    assert cell(table, "RTD & more", "SC")["mean"] == pytest.approx(0.71)


def test_a_method_stands_in_several_jobs_of_a_setting():
    """Two jobs of one setting run the same method, told apart by their folders alone."""
    tuned = scores()[lambda s: s["setting"] == "s10"]
    tuned = tuned.assign(folder="elsewhere", accuracy=tuned["accuracy"] - 0.2)
    layout = [*LAYOUT, CellSource("tuned", "A1", "elsewhere", "a1")]
    table = built(lines=pd.concat([scores(), tuned]), layout=layout)
    assert cell(table, "tuned", "A1")["mean"] == pytest.approx(0.7)
    assert cell(table, "RTD - 10 clients", "A1")["mean"] == pytest.approx(0.9)
    assert cell(table, "RTD - 10 clients", "A1")["n_seeds"] == 3


def test_scores_that_are_not_there_are_an_error():
    layout = [*LAYOUT, CellSource("RTD & more", "IFCA", folder("s100"), "ifca")]
    with pytest.raises(UserError, match=r"t: no scores of ifca in .*/s100/all"):
        built(layout=layout)


def test_scores_are_read_with_the_file_and_folder_of_each(tmp_path):
    for seed in (0, 1):
        of_seed = scores(seeds=(seed,)).query("setting == 's10'").drop(columns=["folder", "file"])
        (tmp_path / "all").mkdir(exist_ok=True)
        of_seed.to_csv(tmp_path / f"all/seed{seed}.csv", index=False)
    paths = [tmp_path / f"all/seed{seed}.csv" for seed in (0, 1)]
    found = cells.read_scores(paths)
    assert set(found["folder"]) == {str(tmp_path / "all")}
    assert found.groupby("file")["seed"].unique().map(list).to_dict() == {
        str(paths[0]): [0],
        str(paths[1]): [1],
    }
    layout = [CellSource("row", "A1", str(tmp_path / "all"), "a1")]
    assert cell(built(lines=found, layout=layout), "row", "A1")["mean"] == pytest.approx(0.895)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a file of scores .No columns"),
        (b"a,b\n1,2\n", "it lacks setting, data, seed, method, round"),
        (b"a,b\n1,2,3\n1,2,3,4\n", "not a file of scores"),
        (b"\xff\xfe\x00", "not a file of scores"),
    ],
)
def test_files_that_are_no_scores_are_one_line(tmp_path, content, words):
    path = tmp_path / "seed0.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        cells.read_scores([path])
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


# ---- Methods that cannot run ---------------------------------------------------------------------


def test_cells_of_methods_that_cannot_run_are_left_out():
    skipped = CellSource("RTD & more", "Picky", folder("s100"), "picky", "it predicts numbers only")
    layout = [*LAYOUT, skipped]
    table = built(layout=layout)
    pd.testing.assert_frame_equal(table, built())
    assert cells.skipped(layout) == {"Picky": ["it predicts numbers only"]}  # in all its rows
    assert cells.skipped(LAYOUT) == {}


def test_figures_get_the_lines_of_the_cells_that_can_run():
    layout = [*LAYOUT, CellSource("RTD & more", "Picky", folder("s100"), "picky", "why")]
    found = cells.lines_of(layout, scores())
    assert set(found) == {(place.row, place.column) for place in LAYOUT}
    lines = found["RTD & more", "SC"]
    assert set(lines["setting"]) == {"s100"}
    assert set(lines["method"]) == {"sc"}
    assert len(lines) == 6


# ---- Tables of studies ---------------------------------------------------------------------------


def of_study(*lines):
    return pd.DataFrame(lines, columns=["row", "column", "value"])


def test_what_a_study_computes_is_reproduced_if_it_rounds_to_the_published_value():
    published = PUBLISHED | {
        "data": "computed",
        "metric": "costs",
        "columns": ["LSTM", "CNN"],
        "rows": {"Weights": [398.35, 156.59], "FLOPs": [79.68, 17.6]},
    }
    found = of_study(
        ("Weights", "LSTM", 398.346),
        ("Weights", "CNN", 156.596),
        ("FLOPs", "LSTM", 79.68),
        ("FLOPs", "CNN", 17.649),
        ("Milliseconds", "LSTM", 12.0),
    )
    table = cells.computed("t", found, published)
    assert list(table.columns) == cells.COLUMNS
    verdicts = ["reproduced", "differs", "reproduced", "reproduced", "not-comparable"]
    assert table["verdict"].tolist() == verdicts
    assert table["mean"].tolist() == [398.346, 156.596, 79.68, 17.649, 12.0]
    assert table["published"].tolist()[:4] == [398.35, 156.59, 79.68, 17.6]
    assert table["difference"].tolist()[:2] == pytest.approx([-0.004, 0.006])
    assert table.loc[4, ["published", "difference"]].isna().all()
    assert (table["n_seeds"] == 1).all()
    assert (table["data"] == "computed").all()
    assert table[["ci_low", "ci_high"]].isna().all(axis=None)


def test_a_study_without_published_values_has_nothing_to_compare():
    published = published_values.read(None)
    table = cells.computed("t", of_study(("Sent (KB)", "LSTM", 1593.384)), published)
    assert table["verdict"].tolist() == ["not-comparable"]
    assert table["published"].isna().all()


def test_csv_reads_back_as_it_was_written():
    table = built(lines=scores("pendigits"), differences=["fewer rounds"])
    text = table.to_csv(index=False, float_format="%.6f")
    assert pd.read_csv(io.StringIO(text))["mean"].tolist() == pytest.approx(table["mean"].tolist())


def test_what_cannot_run_is_named_by_the_most_that_it_is():
    def place(row, column, why):
        return CellSource(row, column, "f", "m", why)

    layout = [
        *(place("a", "x", "no"), place("a", "y", "no")),
        *(place("b", "x", None), place("b", "y", "no")),
        *(place("c", "x", "labels"), place("c", "y", "no")),
    ]
    assert cells.skipped(layout) == {"a": ["no"], "y": ["no"], "c, x": ["labels"]}
    layout += [place("d", "x", "lost"), place("d", "y", "lost")]
    assert cells.skipped(layout)["d"] == ["lost"]
    assert cells.skipped(layout)["y"] == ["no"]  # a column without a cell, for whatever reasons


def test_a_published_integer_is_reproduced_if_ours_rounds_to_it():
    published = PUBLISHED | {"columns": ["c"], "rows": {"r": [12], "s": [1e-05]}}
    found = pd.DataFrame(
        [["r", "c", 12.4], ["s", "c", 1.4e-05]], columns=["row", "column", "value"]
    )
    assert cells.computed("t", found, published)["verdict"].tolist() == ["reproduced"] * 2


def test_grades_of_rows():
    differs = {"RTD - 10 clients": "people are split otherwise"}
    published = PUBLISHED | {"nearly": differs}
    table = built(published)
    nearly, same = (cell(table, row, "A1") for row in ("RTD - 10 clients", "RTD & more"))
    assert (nearly["grade"], nearly["verdict"]) == ("nearly-comparable", "reproduced")
    assert (same["grade"], same["verdict"]) == ("comparable", "differs")
    assert cells.nearly(table, published) == {"RTD - 10 clients": list(differs.values())}
    assert cells.reasons(table, published) == {}
    other = built(published, differences=["three rounds"])
    assert set(other["grade"]) == {"not-comparable"}
    assert cells.nearly(other, published) == {}
    assert cells.reasons(other, published) == {"RTD - 10 clients": list(differs.values())}


def test_a_kept_table_without_grades_has_those_of_its_verdicts(tmp_path):
    table = built(PUBLISHED | {"unstated": {"RTD & more": "?"}})
    table.drop(columns="grade").to_csv(tmp_path / "t.csv", index=False)
    read = cells.read(tmp_path / "t.csv")
    assert cell(read, "RTD - 10 clients", "A1")["grade"] == "comparable"
    assert cell(read, "RTD & more", "A1")["grade"] == "not-comparable"
