"""Tables as Markdown and LaTeX, their captions and notes."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from small_table import COLUMNS, LAYOUT, LOST, METRICS, PUBLISHED, TITLE, folder, scores

from fedreact.tables import cells, render
from fedreact.tables.cells import Place

ABOUT = cells.About(METRICS)
SKIPPED = [
    Place("RTD & more", "Ditto", folder("s100"), "ditto", "it needs one label of several"),
    Place("RTD & more", "APFL", folder("s100"), "apfl", "it needs one label of several"),
    Place("RTD - 10 clients", "Picky", folder("s10"), "picky", "it predicts numbers only"),
    Place("RTD & more", "Picky", folder("s100"), "picky", "it predicts numbers only"),
]


def shown(layout=LAYOUT):
    differences = ["fewer rounds"]
    table = cells.build("t", layout, ABOUT, PUBLISHED, scores("pendigits"), differences)
    reasons = cells.reasons(table, PUBLISHED, differences)
    text = render.caption(TITLE, table, "quick", PUBLISHED["source"])
    return table, text, render.notes(reasons, cells.skipped(layout))


def test_caption_and_notes_name_the_data_the_scale_and_the_reasons():
    _, text, notes = shown()
    assert "pendigits" in text
    assert "quick" in text
    assert "3 seeds" in text
    assert notes == [
        "Not comparable with the published values: the data is pendigits, the paper's is rtd; "
        "fewer rounds."
    ]


def test_where_rows_are_of_several_datasets_each_says_its_own():
    lines = scores("pendigits")
    lines.loc[lines["setting"] == "s100", "data"] = "eegmmidb"
    table = cells.build("t", LAYOUT, ABOUT, PUBLISHED, lines, [])
    labels = [line[0] for line in render.lines(table) if len(line) > 1 and line[0]]
    assert labels[:2] == ["RTD - 10 clients [pendigits]", "RTD & more [eegmmidb]"]
    one = cells.build("t", LAYOUT, ABOUT, PUBLISHED, scores("pendigits"), [])
    assert next(line[0] for line in render.lines(one) if len(line) > 1) == "RTD - 10 clients"


def test_captions_say_what_a_score_is_a_mean_over():
    table, text, _ = shown()
    assert "of each seed, the mean over clients and all rounds" in text
    last = render.caption(TITLE, table, "quick", "P", "after the last round")
    assert "of each seed, the mean over clients after the last round" in last


def test_what_makes_results_mean_nothing_stands_below_those_rows_that_it_is_of():
    of_rows = {"a": ["One cluster.", "All the same."], "b": ["One cluster."]}
    assert render.findings(of_rows) == ["Beware, a; b: One cluster.", "Beware, a: All the same."]


def test_captions_say_how_many_seeds_where_cells_differ():
    some = scores()[lambda s: (s["setting"] == "s10") | (s["seed"] < 2)]
    table = cells.build("t", LAYOUT, ABOUT, PUBLISHED, some, [])
    assert "mean over 2 to 3 seeds" in render.caption(TITLE, table, "quick", "P")
    one = cells.build("t", LAYOUT, ABOUT, PUBLISHED, scores(seeds=(0,)), [])
    assert "mean over 1 seed with" in render.caption(TITLE, one, "quick", "P")


def test_the_caption_of_a_study_says_what_it_is_beside():
    assert render.caption_of_study("Costs", "Table 12") == "Costs. Published: Table 12."


def test_notes_tell_what_was_left_out_rows_of_one_reason_together():
    table, text, notes = shown([*LAYOUT, *SKIPPED])
    assert notes[0].startswith("Not comparable with the published values: ")
    assert notes[1:] == [
        "Left out: Ditto; APFL: it needs one label of several.",
        "Left out: Picky: it predicts numbers only.",
    ]
    out = render.markdown(table, text, notes)
    assert notes[2] in out
    assert "| Picky" not in out


def test_notes_of_rows_that_differ_in_their_reasons_name_them():
    reasons = {"a": ["lost"], "b": ["lost"], "c": ["lost", "other data"]}
    assert render.notes(reasons) == ["a; b: lost.", "c: lost; other data."]
    assert render.notes({}) == []


def test_doubts_on_single_values_name_them():
    """The other values of the table are judged: no sentence may speak for all."""
    assert render.notes({}, doubts={"a, X": ["sought"], "a, Y": ["sought"]}) == [
        "a, X; a, Y: sought."
    ]


def test_published_rows_without_a_label_are_shown():
    table = cells.build("t", LAYOUT, ABOUT, LOST, scores(), [])
    notes = render.notes(cells.reasons(table, LOST, []))
    assert "lacks the labels" in notes[0]
    text = render.markdown(table, render.caption("T", table, "quick", "P"), notes)
    assert "| Published, label lost, 1 | published | 0.900 | 0.750 | 0.701 |" in text
    assert "Rebuilt on rtd at" in text


def test_a_cell_without_a_score_is_empty():
    soft = scores()
    soft.loc[soft["method"] == "sc", "rand"] = np.nan
    lines = render.lines(cells.build("t", LAYOUT, ABOUT, PUBLISHED, soft, []))
    assert lines[-2][1:] == ["rebuilt", "1.000", ""]


def test_metrics_say_their_titles_and_decimals_and_counted_ones_have_no_interval():
    lines = scores().assign(rmse=1.2345, steps=100.0 + scores()["seed"])
    table = cells.build("t", LAYOUT, cells.About(["rmse", "steps"]), PUBLISHED, lines, [])
    found = render.lines(table)
    assert [line[0] for line in found if len(line) == 1] == [
        "Root mean square error",
        "Gradient steps of a client's models, in all",
    ]
    assert ["RTD - 10 clients", "rebuilt", "1.23", "1.23"] in found
    steps = found[found.index(["Gradient steps of a client's models, in all"]) :]
    assert ["RTD - 10 clients", "rebuilt", "101", "101"] in steps
    assert {line[1] for line in steps if len(line) > 1} == {"rebuilt"}
    assert {line[1] for line in found[: -len(steps)] if len(line) > 1} == {
        "rebuilt",
        "95% interval",
    }


def test_the_interval_that_judges_and_the_gaps_are_shown():
    about = cells.About(["accuracy"], reference="A1")
    table = cells.build("t", LAYOUT, about, PUBLISHED, scores(), [])
    found = render.lines(table, "A1")
    assert found[1:12] == [
        ["RTD - 10 clients", "published", "0.900", "0.750"],
        ["", "rebuilt", "0.900", "0.700"],
        ["", "95% interval", "0.875–0.925", "0.675–0.725"],
        ["", "difference", "+0.000", "-0.050"],
        ["", "one further seed", "0.850–0.950", "0.650–0.750"],
        ["", "verdict", "reproduced", "reproduced"],
        ["", "minus A1, published", "", "-0.150"],
        ["", "minus A1, rebuilt", "", "-0.200"],
        ["", "its 95% interval", "", "-0.200 to -0.200"],
        ["", "one further seed", "", "-0.200 to -0.200"],
        ["", "verdict", "", "differs"],
    ]


def test_markdown_has_a_cell_for_each_column():
    table, text, notes = shown()
    lines = [x for x in render.markdown(table, text, notes).splitlines() if x.startswith("|")]
    assert {line.count("|") for line in lines} == {5}
    assert "| RTD - 10 clients | published | 0.900 | 0.750 |" in lines
    assert "|  | difference | +0.000 | -0.050 |" in lines


def test_a_bar_in_a_label_does_not_end_its_cell():
    table = pd.DataFrame(
        [["t", "|M| = 16", "A", "costs", "computed", 1.0, 1]],
        columns=["table", "row", "column", "metric", "data", "mean", "n_seeds"],
    ).reindex(columns=cells.COLUMNS)
    assert r"| \|M\| = 16 | rebuilt | 1.000 |" in render.markdown(table, "", [])


def test_latex_escapes_and_signs():
    table, text, notes = shown()
    tex = render.latex(table, "t", text, notes)
    assert r"RTD \& more" in tex
    assert r"95\% interval" in tex
    assert "0.875--0.925" in tex
    assert "$-$0.050" in tex


def test_wide_latex_tables_come_in_parts_with_every_cell_once(monkeypatch):
    table, text, notes = shown()
    whole = render.latex(table, "t", text, notes)
    monkeypatch.setattr(render, "WIDEST", 1)
    parts = render.latex(table, "t", text, notes).split(r"\begin{table}")[1:]
    assert len(parts) == 3
    assert [part.count(r"\label") for part in parts] == [1, 0, 0]
    assert [part.count("fewer rounds") for part in parts] == [0, 0, 1]
    for number in ("0.900 &", "0.750 "):
        assert number in whole
    for part, column, number in zip(parts, COLUMNS, ("0.900", "0.750")):
        assert f"&  & {column} " in part
        assert f"RTD - 10 clients & published & {number} " in part


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path):
    table, text, notes = shown([*LAYOUT, *SKIPPED])
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
        + render.latex(table, "t", text, notes)
        + r"\end{document}"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_what_is_not_shown_is_said():
    table, *_ = shown()
    asked = ["accuracy", "rand", "rmse"]
    (said,) = render.limits(table, asked)
    assert said == "Left out: Root mean square error: not defined of this data, or not found here."
    two = table.assign(n_seeds=2)
    assert render.limits(two, []) == ["Of two seeds an interval says next to nothing."]
    assert render.limits(table.assign(n_seeds=1), []) == []
