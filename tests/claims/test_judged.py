"""Claims judged on scores, their lines, texts and figure."""

from dataclasses import replace

import pandas as pd
import pytest
from small_table import folder, scores

from fedreact.claims import judged, render
from fedreact.claims.readings import ClaimReading, Contrast
from fedreact.errors import UserError
from fedreact.reading import as_json, read_typed
from fedreact.tables.sources import ScoreSource
from fedreact.tables.trivial import FLAG

A1, SC = (ScoreSource(folder("s10"), method) for method in ("a1", "sc"))
CLAIMS = {
    "a1": {"claim": "A1 beats SC & all.", "source": "4.1"},
    "same": {"claim": "Both are the same.", "source": "4.2"},
    "number": {"claim": "SC is above a half.", "source": "4.3"},
}


def asked(claim="a1", reading="", sign=1, over="every", contrasts=None, **more):
    given = {"claim": claim, "reading": reading, "relation": "better", "sign": sign}
    given |= {"metric": "accuracy", "margin": 0.005, "over": over, "last": False}
    given["contrasts"] = contrasts or [Contrast("10 clients", "A1", "SC", A1, SC, 0.15)]
    return ClaimReading(**given | more)


def test_a_claim_and_its_contrasts_are_lines():
    far = [ScoreSource(folder("s100"), method) for method in ("a1", "sc")]
    contrasts = [Contrast("10", "A1", "SC", A1, SC, 0.15), Contrast("100", "A1", "SC", *far, None)]
    lines = scores()
    where = (lines["folder"] == folder("s10")) & (lines["method"] == "a1")
    lines.loc[where, "accuracy"] += lines.loc[where, "seed"].map({0: 0.03, 1: 0.0, 2: 0.0})
    table = judged.judged("p", [asked(contrasts=contrasts)], lines)
    assert list(table.columns) == judged.COLUMNS
    whole, *each = table.to_dict("records")
    assert [line["at"] for line in each] == ["10", "100"]
    # 0.23, 0.20, 0.20 and 0.20 three times.
    assert [line["difference"] for line in each] == pytest.approx([0.21, 0.20])
    assert whole["difference"] == pytest.approx(0.205)
    assert (whole["published"], each[0]["published"]) == (0.15, 0.15)
    assert {line["outcome"] for line in (whole, *each)} == {"holds"}
    assert (whole["exceptions"], whole["weakest"]) == ("", "10")  # whose interval reaches lower
    assert whole["n_seeds"] == 3
    assert whole["data"] == "rtd"


def test_what_is_claimed_is_positive():
    (worse, _) = judged.judged("p", [asked(sign=-1)], scores()).to_dict("records")
    assert (worse["difference"], worse["outcome"]) == (pytest.approx(-0.2), "reversed")


def test_a_claim_may_be_about_a_number():
    contrasts = [Contrast("10", "SC", "0.5", SC, 0.5, None)]
    whole, _ = judged.judged("p", [asked("number", contrasts=contrasts)], scores()).to_dict(
        "records"
    )
    assert (whole["difference"], whole["outcome"]) == (pytest.approx(0.2), "holds")


def test_seeds_that_one_side_lacks_are_left_out():
    lines = scores()[lambda s: (s["method"] == "a1") | (s["seed"] < 2)]
    whole, _ = judged.judged("p", [asked()], lines).to_dict("records")
    assert (whole["n_seeds"], whole["outcome"]) == (2, "undecided")


def test_scores_that_are_not_there_are_an_error():
    contrasts = [Contrast("10", "A1", "X", A1, ScoreSource(folder("s10"), "x"), None)]
    with pytest.raises(UserError, match=r"there is no accuracy of x in .*/s10/all"):
        judged.judged("p", [asked(contrasts=contrasts)], scores())
    with pytest.raises(UserError, match="there is no accuracy of a1"):
        judged.judged("p", [asked()], scores().assign(accuracy=float("nan")))


def test_of_costs_to_a_score_those_count_at_which_both_have_it():
    """A1 has .6 and .9 after 10 and 20 minutes, SC .5 and .7 after 15 and 30: .7 is the target."""
    lines = scores()[lambda s: s["folder"] == folder("s10")]
    a1 = lines["method"] == "a1"
    curves = [
        lines.assign(round=t, minutes=a1.map({True: 10.0 * t, False: 15.0 * t})).assign(
            accuracy=a1.map({True: 0.3 + 0.3 * t, False: 0.3 + 0.2 * t})
        )
        for t in (1, 2)
    ]
    both = pd.concat(curves).reset_index(drop=True)
    one = asked(sign=-1, reaching="accuracy", metric="minutes", margin=1.0, last=True)
    whole, _ = judged.judged("p", [one], both).to_dict("records")
    # A1 has it a third of the way from 10 to 20 minutes.
    assert (whole["difference"], whole["outcome"]) == (pytest.approx(30 - 40 / 3), "holds")
    at_once = both.assign(accuracy=both["accuracy"].mask(both["method"] == A1.method, 0.9))
    whole, _ = judged.judged("p", [one], at_once).to_dict("records")
    # It has it by minute 10, SC not before minute 30: 20 to 30 minutes sooner.
    assert (whole["ci_low"], whole["ci_high"], whole["outcome"]) == (20, 30, "holds")


@pytest.fixture
def table():
    same = asked("same", sign=0, contrasts=[Contrast("10", "A1", "A1", A1, A1, None)])
    number = asked("number", contrasts=[Contrast("10", "SC", "0.5", SC, 0.5, None)], over="average")
    other = asked("a1", "svm-C: 0.1", sign=-1)
    return judged.judged("p", [asked(), other, same, number], scores())


def test_counts_are_of_what_is_taken(table):
    assert render.counts(table) == (
        "3 claims: 3 hold, 0 are negligible, 0 are reversed, 0 are undecided."
    )


def test_markdown_has_each_reading_below_its_claim(table):
    text = render.markdown(table, CLAIMS, "Claims", "quick", ["A note."])
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[1] == (
        "| A1 beats SC & all. | 4.1 | holds | holds | +0.2000 (+0.2000 to +0.2000) "
        "| 0.0000 | 1.000 | +0.1500 |"
    )
    assert rows[2].startswith("| *if svm-C: 0.1* |  | reversed |  | -0.2000")
    assert "Judged on rtd at scale quick. 3 claims: 3 hold" in text
    assert text.endswith("\nA note.\n")


def test_latex_escapes(table):
    text = render.latex(table, CLAIMS, "Claims", "quick", [])
    assert r"A1 beats SC \& all." in text
    assert "$+$0.2000" in text
    assert text.count(r"\\") >= 5


def test_readings_are_read_back_from_json():
    contrasts = [Contrast("10", "A1", "SC", A1, SC, 0.1, trivial={"Constant": SC})]
    contrasts.append(Contrast("10", "SC", "0.5", SC, 0.5))
    readings = [asked(contrasts=contrasts)]
    assert read_typed(as_json(readings), "--asked", list[ClaimReading]) == readings
    with pytest.raises(UserError, match=r"^--asked: Object missing required field `reading` - at"):
        read_typed('[{"claim": "a"}]', "--asked", list[ClaimReading])


def test_a_refuted_claim_shows_its_weakest_comparison_and_names_the_others(tmp_path):
    contrasts = [Contrast(at, "A1", "SC", A1, SC, 0.1) for at in "ab"]
    contrasts += [Contrast(at, "A1", "A1 again", A1, A1, 0.0) for at in "cdef"]
    contrasts += [Contrast("g", "SC", "A1", SC, A1, -0.2)]
    table = judged.judged("p", [asked(contrasts=contrasts)], scores())
    whole = table.to_dict("records")[0]
    assert whole["outcome"] == "reversed"
    assert whole["weakest"] == "g: A1"
    same = [(f"{at}: A1 again", "negligible") for at in "cdef"]
    assert render.exceptions(whole) == [*same, ("g: A1", "reversed")]
    assert "average" not in render.markdown(table, CLAIMS, "t", "quick", []).partition("|---")[2]
    ((_, _, said, _, difference, *_, published),) = render.lines(table, CLAIMS)
    assert (said, published) == ("reversed", "-0.2000")
    assert difference == (
        "-0.2000 (-0.2000 to -0.2000), weakest of 7: g: A1; 2 of 7 hold; "
        "negligible: c: A1 again, d: A1 again, e: A1 again and 1 more; reversed: g: A1"
    )
    judged.write(table, tmp_path / "claims.csv")
    again = judged.read(tmp_path / "claims.csv")
    assert render.lines(again, CLAIMS) == render.lines(table, CLAIMS)


def test_an_average_shows_the_average():
    contrasts = [Contrast("a", "A1", "SC", A1, SC, 0.1), Contrast("b", "A1", "A1", A1, A1, 0.0)]
    table = judged.judged("p", [asked(contrasts=contrasts, over="average")], scores())
    ((_, _, said, _, difference, *_),) = render.lines(table, CLAIMS)
    assert (said, difference) == ("holds", "+0.1000 (+0.1000 to +0.1000), average of 2")


SETTINGS = {
    # The leads of ours over theirs by seed, and the dataset.
    "drawn": ([0.10, 0.12, 0.14], "pendigits"),
    "writers": ([0.02, 0.04, 0.06], "pendigits+owners=8"),
    "people": ([0.20, 0.20, 0.20], "har"),
    "eeg": ([0.90, 0.90, 0.90], "eegmmidb"),
}


def over_datasets(flagged):
    """Judge a claim about the average over datasets, with flags on some settings."""
    scored = [
        {"folder": setting, "setting": setting, "data": data, "method": method, "seed": seed}
        | {"file": "f", "round": 1, "accuracy": (lead if method == "ours" else 0.0)}
        for setting, (leads, data) in SETTINGS.items()
        for method in ("ours", "theirs")
        for seed, lead in enumerate(leads)
    ]
    cells = pd.DataFrame(
        {"row": row, "column": column, "metric": "accuracy"}
        | {"flag": FLAG if row in flagged else None}
        for row in SETTINGS
        for column in ("ours", "theirs")
    )
    contrasts = [
        Contrast(row, "ours", "theirs", ScoreSource(row, "ours"), ScoreSource(row, "theirs"))
        for row in SETTINGS
    ]
    reading = asked(over="average", contrasts=contrasts, table="t")
    return judged.judged("p", [reading], pd.DataFrame(scored), {"t": cells})


def test_an_average_over_datasets_counts_each_once_and_no_flagged_row():
    table = over_datasets(["eeg"])
    whole, *each = table.to_dict("records")
    # By seed: pendigits has (0.10 + 0.02) / 2 = 0.06, 0.08, 0.10; with HAR's 0.20: 0.13, 0.14,
    # 0.15. Not 0.32 / 3, the mean over rows, nor with EEG.
    assert whole["difference"] == pytest.approx(0.14)
    half = 4.302653 * 0.01 / 3**0.5  # t of 2 degrees of freedom, times the standard error
    assert (whole["ci_low"], whole["ci_high"]) == pytest.approx((0.14 - half, 0.14 + half))
    assert (whole["outcome"], whole["averaged"], whole["data"]) == (
        "holds",
        "2 datasets",
        "har, pendigits, pendigits+owners=8",
    )
    assert [line["outcome"] for line in each] == [*("holds", "undecided", "holds", "not-testable")]
    assert [line["reason"] for line in each] == ["", "", "", FLAG]
    ((*_, difference, _, _, _),) = render.lines(table, CLAIMS)
    assert difference == "+0.1400 (+0.1152 to +0.1648), average of 2 datasets"


def test_without_flags_all_datasets_count():
    whole = over_datasets([]).iloc[0]
    assert whole["difference"] == pytest.approx((0.08 + 0.20 + 0.90) / 3)
    assert whole["averaged"] == "3 datasets"


def test_an_average_of_which_no_row_counts_is_not_testable():
    table = over_datasets(SETTINGS)
    assert table["outcome"].tolist() == ["not-testable"] * 5
    assert table["reason"][0] == FLAG


def test_notes_are_read_back(table):
    notes = ["Not judged: x.", "At this scale: 3 seeds; | and more."]
    assert render.notes_of(render.markdown(table, CLAIMS, "Claims", "quick", notes)) == notes
    assert render.notes_of(render.markdown(table, CLAIMS, "Claims", "quick", [])) == []


def test_a_contrast_without_a_trained_baseline_is_not_testable():
    chance = float(scores().query("method == 'sc'")["accuracy"].mean())  # SC is at chance
    contrast = Contrast("10", "A1", "SC", A1, SC, chance=chance)
    whole, one = judged.judged("p", [asked(contrasts=[contrast])], scores()).to_dict("records")
    assert (whole["outcome"], one["outcome"]) == ("not-testable", "not-testable")
    assert whole["reason"] == "SC not significantly above chance"
    assert (whole["corrected"], pd.isna(whole["p"])) == ("not-testable", True)


def test_a_trivial_predictor_ahead_of_both_is_named_also_under_readings():
    contrast = Contrast("10", "SC", "SC 2", SC, SC, trivial={"A1": A1})
    reading = replace(contrast, trivial={})
    table = judged.judged(
        "p",
        [asked(contrasts=[contrast]), asked(reading="svm-C: 0.1", contrasts=[reading])],
        scores(),
    )
    assert set(table["outcome"]) == {"not-testable"}
    assert set(table["reason"]) == {"A1 ahead of both"}


def test_outcomes_are_corrected_for_the_number_of_claims():
    line = {"paper": "p", "reading": "", "at": "", "outcome": "holds"}
    table = pd.DataFrame([line | {"p": p} for p in (0.02, 0.001, None)])
    # .02 would do alone, but not times two for the smaller one and then .02 once: Holm's steps.
    assert judged.corrected(table)["corrected"].tolist() == ["holds", "holds", "holds"]
    table["p"] = [0.02, 0.015, 0.024]
    assert judged.corrected(table)["corrected"].tolist() == ["undecided"] * 3
