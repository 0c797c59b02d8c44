"""Captions and notes of tables."""

from dataclasses import replace

import pandas as pd
import pytest
from small_table import LAYOUT, LOST, METRICS, PUBLISHED, TITLE, folder, scores

from fedreact.tables import cells, notes
from fedreact.tables.labels import UNNAMED, Names
from fedreact.tables.notes import Note
from fedreact.tables.sources import CellSource

RULES = cells.CellRules(METRICS)
ROWS = ("RTD - 10 clients", "RTD & more")
SKIPPED = [
    CellSource("RTD & more", "Ditto", folder("s100"), "ditto", "it needs one label of several"),
    CellSource("RTD & more", "APFL", folder("s100"), "apfl", "it needs one label of several"),
]


def below(layout=LAYOUT, published=PUBLISHED, data="rtd", differences=(), found=(), asked=METRICS):
    """Notes of the small table, without the places that they are about where there are none."""
    table = cells.build("t", layout, RULES, published, scores(data), list(differences))
    return notes.of_scores(table, asked, layout, published, differences, dict(found))


def test_a_caption_says_the_data_the_scale_the_seeds_and_the_source():
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, scores("har"), [])
    names = Names({}, {"har": "UCI HAR, six activities"})
    assert notes.caption(TITLE, table, "quick", "Paper, Table 5", names) == (
        "Accuracy. Rebuilt at scale quick on UCI HAR, six activities (har): mean over clients and "
        "all rounds, 3 seeds. Published values: Paper, Table 5."
    )
    last = notes.caption(TITLE, table, "quick", "nothing", names, "after the last round")
    assert last.endswith("mean over clients after the last round, 3 seeds.")


@pytest.mark.parametrize(
    ("kept", "seeds"), [((0, 1, 2), "2 to 3 seeds"), ((0, 1), "2 seeds"), ((0,), "one seed")]
)
def test_a_caption_says_how_many_seeds_where_cells_differ(kept, seeds):
    lines = scores(seeds=kept)
    if len(kept) == 3:
        lines = lines[(lines["setting"] == "s10") | (lines["seed"] < 2)]
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, lines, [])
    assert f" all rounds, {seeds}." in notes.caption(TITLE, table, "quick", "P", UNNAMED)


def test_the_caption_of_a_study_says_what_stands_beside_it():
    assert notes.caption_of_study("Costs", "T 12") == "Costs. Published values: T 12."
    assert notes.caption_of_study("Costs", "nothing") == "Costs."


def test_what_holds_of_all_rows_names_none():
    assert below(data="pendigits", differences=["fewer rounds", "fewer steps"]) == [
        Note("Unlike the paper: fewer rounds; fewer steps."),
        Note(
            "Not comparable with the published values: the paper uses rtd, this run pendigits.",
        ),
    ]
    assert below() == []


def test_what_holds_of_some_rows_names_them():
    layout = [replace(p, unlike=("fewer steps",)) if p.row == ROWS[0] else p for p in LAYOUT]
    published = PUBLISHED | {"unstated": {ROWS[1]: "beta is lost."}}
    assert below(layout, published, differences=["fewer rounds"]) == [
        Note("Unlike the paper: fewer rounds."),
        Note("Unlike the paper: fewer steps.", ROWS[:1]),
        Note("Not comparable with the published values: beta is lost.", ROWS[1:]),
    ]


def test_of_two_reasons_that_say_the_same_the_longer_is_told():
    texts = ("fewer steps", "3 people; fewer steps")
    layout = [replace(place, unlike=texts) for place in LAYOUT]
    assert below(layout) == [Note("Unlike the paper: 3 people; fewer steps.")]


def test_published_rows_without_a_label_are_of_no_scale():
    (unlike, lost) = below(published=LOST, differences=["fewer rounds"])
    assert unlike == Note("Unlike the paper: fewer rounds.")
    assert lost.rows == ("Published, label lost, 1",)
    assert "lacks the labels" in lost.text


def test_doubts_on_single_values_are_of_their_cells():
    unsure = {ROWS[0]: {"A1": "sought", "SC": "sought", "IFCA": "not shown here"}}
    assert below(published=PUBLISHED | {"unsure": unsure}) == [
        Note("Not judged: sought.", cells=((ROWS[0], "A1"), (ROWS[0], "SC")))
    ]
    study = cells.build("t", LAYOUT, RULES, PUBLISHED, scores(), [])
    assert notes.of_study(study, PUBLISHED | {"unsure": unsure}) == below(
        published=PUBLISHED | {"unsure": unsure}
    )


def test_what_makes_results_mean_nothing_is_a_caution_for_its_rows():
    found = {ROWS[0]: ["One cluster.", "All the same."], ROWS[1]: ["One cluster."]}
    assert below(found=found) == [
        Note("Caution: One cluster."),
        Note("Caution: All the same.", ROWS[:1]),
    ]


def test_what_was_left_out_stands_with_its_reason():
    assert below([*LAYOUT, *SKIPPED]) == [
        Note("Left out: Ditto; APFL. Reason: it needs one label of several.")
    ]


def test_what_is_not_shown_is_said():
    assert below(asked=["accuracy", "rand", "rmse"]) == [
        Note(
            "Not shown: Root mean square error. Reason: this data does not define it, or these "
            "runs did not compute it."
        )
    ]
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, scores(seeds=(0, 1)), [])
    assert notes.limits(table, []) == [Note("An interval of two seeds says next to nothing.")]


def test_a_note_by_itself_names_what_it_is_about():
    names = {"RTD": "Digits (pendigits; paper: RTD)"}
    assert Note("Lost.").alone(names) == "Lost."
    assert Note("Lost.", ("RTD", "EEG")).alone(names) == (
        "Digits (pendigits; paper: RTD); EEG: Lost."
    )
    assert Note("Lost.", cells=(("RTD", "A1"),)).alone(names) == (
        "Digits (pendigits; paper: RTD), A1: Lost."
    )


def test_notes_of_a_table_are_one_line_each():
    assert notes.plain(["One\n  line.\n"]) == [Note("One line.")]


def test_blank_cells_of_a_metric_that_others_have_are_explained():
    lines = pd.DataFrame(
        [
            ("People", "FedAvg", "accuracy", 3),
            ("People", "Fed-REACT", "accuracy", 3),
            ("People", "Fed-REACT", "accuracy@worst_tenth", 3),
            ("People", "Fed-REACT", "rand", 3),  # clusters: nobody misses them
        ],
        columns=["row", "column", "metric", "n_seeds"],
    )
    (note,) = notes.blanks(lines, ["accuracy", "accuracy@worst_tenth", "rand"])
    assert note.text.startswith(
        "Accuracy of the worst tenth of the clients: not shown for People, FedAvg. Reason:"
    )
    assert notes.blanks(lines[:2], ["accuracy", "accuracy@worst_tenth"]) == []
