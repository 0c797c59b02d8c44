"""Tables as Markdown and LaTeX: their cells, signs, blocks and legends."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_table import LAYOUT, LOST, METRICS, PUBLISHED, scores

from fedreact.metrics.grammar import load_metric
from fedreact.tables import cells, render
from fedreact.tables.grid import CellText, cell_of, grid
from fedreact.tables.labels import UNNAMED, Names
from fedreact.tables.notes import Note

RULES = cells.CellRules(METRICS)
BASE = {"table": "t", "row": "r", "column": "A", "metric": "accuracy", "data": "d"}
BASE |= {"mean": 0.902, "ci_low": 0.897, "ci_high": 0.907, "n_seeds": 5, "published": 0.774}
BASE |= {"verdict": "differs"}


def frame(*lines):
    """A table of lines that differ from one cell in these values."""
    return pd.DataFrame([BASE | line for line in lines]).reindex(columns=cells.COLUMNS)


def text(reference=None, **changes):
    """The texts of a cell that differs from one in these values."""
    (line,) = frame(changes).to_dict("records")
    metric = load_metric(line["metric"])
    return cell_of(line, metric, reference).text


def markdown(*lines, notes=(), names=UNNAMED, reference=None):
    """A table of these lines as Markdown."""
    return render.markdown(grid(frame(*lines), "About.", notes, names, reference))


def rows_of(shown):
    """Cells of the lines of a Markdown table, without what aligns them."""
    lines = [line[1:-1] for line in shown.splitlines() if line.startswith("|")]
    return [[part.strip() for part in line.split("|")] for line in lines if "---" not in line]


# ---- Cells -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({}, "0.902 ± 0.005 [0.774] ≠"),
        ({"verdict": "reproduced"}, "0.902 ± 0.005 [0.774] ="),
        ({"verdict": "undecided"}, "0.902 ± 0.005 [0.774] ?"),
        ({"verdict": "not-comparable"}, "0.902 ± 0.005 [0.774]"),
        ({"published": None, "verdict": "not-comparable"}, "0.902 ± 0.005"),
        ({"ci_low": None, "ci_high": None, "n_seeds": 1}, "0.902 [0.774] ≠"),
        ({"mean": None, "ci_low": None, "ci_high": None, "n_seeds": 0}, "[0.774]"),
        ({"mean": 0.99, "ci_low": 0.96, "ci_high": 1.0, "published": None}, "0.990 (0.960–1.000)"),
        ({"mean": 0.01, "ci_low": 0.0, "ci_high": 0.04, "published": None}, "0.010 (0.000–0.040)"),
        ({"mean": 1.0, "ci_low": 1.0, "ci_high": 1.0, "published": None}, "1.000 (same)"),
        ({"metric": "steps", "mean": 12345.0, "published": None}, "12,345"),
        (
            {"metric": "rmse", "mean": 14.3, "ci_low": 14.1, "ci_high": 14.5},
            "14.30 ± 0.20 [0.77] ≠",
        ),
        ({"metric": "costs", "mean": -5.0, "ci_low": None, "published": None}, "-5.000"),
    ],
)
def test_a_cell_by_hand(changes, shown):
    assert text(**changes) == shown


def test_an_interval_that_a_bound_below_zero_cuts_is_written_in_words():
    line = BASE | {"mean": -0.5, "ci_low": -1.0, "ci_high": 0.2}
    accuracy = load_metric("accuracy")
    assert cell_of(line, accuracy).spread == "(-1.000 to 0.200)"


@pytest.mark.parametrize(
    ("metric", "low", "high", "sign"),
    [
        ("accuracy", 0.01, 0.02, "↑"),
        ("accuracy", -0.02, -0.01, "↓"),
        ("accuracy", -0.01, 0.01, ""),
        ("rmse", 0.01, 0.02, "↓"),
        ("rmse", -0.02, -0.01, "↑"),
        ("steps", 1.0, 2.0, ""),  # counted
        ("n_clusters", 1.0, 2.0, ""),  # none is better
        ("accuracy", None, None, ""),
    ],
)
def test_the_sign_against_the_reference_says_who_is_better(metric, low, high, sign):
    gap = {"metric": metric, "gap_low": low, "gap_high": high, "published": None}
    assert text("A1", **gap).endswith(sign)
    assert ("↑" in text("A1", **gap) or "↓" in text("A1", **gap)) == bool(sign)
    assert "↑" not in text(None, **gap)
    assert "↓" not in text(None, **gap)


def test_a_cell_of_nothing_is_a_dash():
    assert CellText().text == "–"


def test_a_line_of_the_csv_module_gives_the_same_cell():
    line = BASE | {"gap_low": "", "gap_high": ""}
    accuracy = load_metric("accuracy")
    assert cell_of(line, accuracy, "A1").text == "0.902 ± 0.005 [0.774] ≠"
    more = line | {"published_plus_minus": 0.02}
    assert cell_of(more, accuracy, "A1").text == "0.902 ± 0.005 [0.774 ± 0.020] ≠"
    assert cell_of(line | {"published": "", "ci_low": "", "ci_high": ""}, accuracy).text == "0.902"


# ---- Layout ----------------------------------------------------------------------------------


def test_a_table_has_one_line_a_row_of_the_paper():
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, scores(), [])
    shown = render.markdown(grid(table, "Accuracy. Rebuilt.", []))
    assert shown == (
        "Accuracy. Rebuilt.\n\n"
        "**Accuracy (higher is better)**\n\n"
        "|                  |                      A1 |                      SC |\n"
        "| ---------------- | ----------------------: | ----------------------: |\n"
        "| RTD - 10 clients | 0.900 ± 0.025 [0.900] = | 0.700 ± 0.025 [0.750] = |\n"
        "| RTD & more       | 0.900 ± 0.025 [0.500] ≠ | 0.700 ± 0.025 [0.600] ≠ |\n\n"
        "**Rand score, mean over rounds (higher is better)**\n\n"
        "|                  |           A1 |           SC |\n"
        "| ---------------- | -----------: | -----------: |\n"
        "| RTD - 10 clients | 1.000 (same) | 1.000 (same) |\n"
        "| RTD & more       | 1.000 (same) | 1.000 (same) |\n\n"
        "A cell is the rebuilt mean ± half the width of its 95% interval [published value]; "
        "(same): for all seeds; = reproduced, ≠ differs; no sign: not comparable.\n"
    )


def test_rows_are_named_by_their_data():
    names = Names({"digits": "RTD"})
    shown = markdown({"row": "RTD - 10 clients", "data": "pendigits"}, {"row": "x"}, names=names)
    assert [row[0] for row in rows_of(shown)[1:]] == [
        "Digits (pendigits; paper: RTD), 10 clients",
        "x (d)",
    ]


def test_methods_are_rows_where_there_are_more_than_eight():
    eight = [{"row": row, "column": f"m{i}"} for row in "ab" for i in range(8)]
    assert rows_of(markdown(*eight))[0] == ["", *(f"m{i}" for i in range(8))]
    nine = [{"row": row, "column": f"m{i}"} for row in "ab" for i in range(9)]
    shown = rows_of(markdown(*nine))
    assert shown[0] == ["", "a", "b"]
    assert [row[0] for row in shown[1:]] == [f"m{i}" for i in range(9)]


def test_what_is_too_wide_both_ways_comes_in_parts_of_the_same_width():
    lines = [{"row": f"r{i}", "column": f"m{j}"} for i in range(10) for j in range(12)]
    shown = markdown(*lines)
    assert "part 1 of 2**" in shown
    heads = [row for row in rows_of(shown) if row[0] == ""]
    assert heads == [["", *(f"r{i}" for i in part)] for part in (range(5), range(5, 10))]


def test_rows_are_not_turned_where_there_would_be_more_columns_then():
    lines = [{"row": f"r{i}", "column": f"m{j}"} for i in range(11) for j in range(10)]
    assert len([row for row in rows_of(markdown(*lines)) if row[0].startswith("r")]) == 22


@pytest.mark.parametrize(("side", "other"), [("row", "column"), ("column", "row")])
def test_metrics_are_columns_where_the_table_is_a_single_line(side, other):
    lines = [
        {side: "one", other: name, "metric": metric, "published": None}
        for metric in ("accuracy", "steps")
        for name in ("a", "b")
    ]
    shown = markdown(*lines)
    assert "**one**" in shown
    title = "Gradient steps of a client's models, in all"
    assert rows_of(shown) == [
        ["", "Accuracy (higher is better)", title],
        ["a", "0.902 ± 0.005", "1"],
        ["b", "0.902 ± 0.005", "1"],
    ]


def test_a_cell_without_a_score_is_a_dash_and_what_has_none_is_not_shown():
    soft = scores()
    soft.loc[soft["method"] == "sc", "rand"] = np.nan
    table = cells.build("t", LAYOUT, RULES, PUBLISHED, soft, [])
    assert rows_of(render.markdown(grid(table, "", [])))[3:] == [
        ["", "A1"],
        ["RTD - 10 clients", "1.000 (same)"],
        ["RTD & more", "1.000 (same)"],
    ]
    shown = markdown({"column": "A"}, {"column": "B"}, {"row": "s", "column": "B"})
    assert rows_of(shown)[2] == ["s", "–", "0.902 ± 0.005 [0.774] ≠"]
    assert "; – no such score." in shown


def test_published_rows_without_a_label_are_shown():
    table = cells.build("t", LAYOUT, RULES, LOST, scores(), [])
    shown = rows_of(render.markdown(grid(table, "", [])))
    assert ["Published, label lost, 1", "[0.900]", "[0.750]", "[0.701]"] in shown


def test_a_bar_in_a_label_does_not_end_its_cell():
    assert r"| \|M\| = 16 | 0.902" in markdown({"row": "|M| = 16"})


# ---- Legend and notes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "legend"),
    [
        ([{"metric": "steps", "published": None}], None),
        (
            [{"metric": "steps", "verdict": "reproduced"}],
            "A cell is the rebuilt value [published value]; = reproduced; no sign: not comparable.",
        ),
        (
            [{"published": None}, {"row": "s", "published": None, "n_seeds": 1, "ci_low": None}],
            "A cell is the rebuilt mean ± half the width of its 95% interval; no ±: one seed.",
        ),
        (
            [{"verdict": "not-comparable", "ci_high": 0.95}],
            "A cell is the rebuilt mean ± half the width of its 95% interval [published value]; "
            "(low–high): the interval ends at a bound of the score; no cell is comparable with "
            "its published value, as the notes say.",
        ),
    ],
)
def test_the_legend_says_what_a_reader_sees(lines, legend):
    shown = markdown(*lines)
    if legend is None:
        assert shown.splitlines()[-1].startswith("| r ")
    else:
        assert shown.splitlines()[-1] == legend


def test_the_legend_names_the_reference_by_its_data():
    gap = {"gap_low": 0.1, "gap_high": 0.2}
    lines = [{"row": "RTD", "data": "pendigits"}, {"row": "s", "data": "pendigits"} | gap]
    shown = markdown(*lines, names=Names({"digits": "RTD"}), reference="RTD")
    assert (
        "↑ significantly better, ↓ significantly worse than Digits (pendigits; paper: RTD) "
        "(95% interval of the difference by seed)."
    ) in shown


def test_notes_are_led_to_by_marks():
    notes = [
        Note("Of all."),
        Note("Of a row.", rows=("r", "s")),
        Note("Of a cell.", cells=(("r", "A"),)),
        Note("Of a row, too.", rows=("r",)),
    ]
    shown = markdown({}, {"row": "s"}, notes=notes)
    assert rows_of(shown)[1:] == [
        ["r¹,³", "0.902 ± 0.005 [0.774] ≠²"],
        ["s¹", "0.902 ± 0.005 [0.774] ≠"],
    ]
    assert shown.endswith("\n- Of all.\n- ¹ Of a row.\n- ² Of a cell.\n- ³ Of a row, too.\n")


# ---- All numbers are there -------------------------------------------------------------------


@given(
    st.lists(st.floats(0.1, 0.9), min_size=1, max_size=60, unique=True),
    st.integers(1, 12),
    st.lists(st.sampled_from(["accuracy", "rmse", "steps"]), min_size=1, max_size=3, unique=True),
)
def test_each_mean_of_the_csv_stands_in_both_forms_once(means, n_columns, metrics):
    lines = [
        {"row": f"r{i // n_columns}", "column": f"c{i % n_columns}", "metric": metric}
        | {"mean": mean, "ci_low": mean - 0.01, "ci_high": mean + 0.01, "published": None}
        for metric in metrics
        for i, mean in enumerate(means)
    ]
    laid_out = grid(frame(*lines), "", [])
    want = []
    for line in lines:
        decimals = load_metric(line["metric"]).decimals
        want.append(f"{line['mean']:.{decimals}f}")
    shown = [cell.split(" ")[0] for row in rows_of(render.markdown(laid_out)) for cell in row[1:]]
    assert sorted(x for x in shown if re.fullmatch(r"[\d.]+", x)) == sorted(want)
    tex = re.findall(r"& ([\d.]+)(?= )", render.latex(laid_out, "t"))
    assert sorted(tex) == sorted(want)


# ---- One cell in words -----------------------------------------------------------------------


def test_a_cell_in_words():
    names = Names({"digits": "RTD"}, {"pendigits": "Pendigits, digits on a tablet"})
    line = BASE | {"table": "table05", "row": "RTD - 10 clients", "data": "pendigits"}
    line |= {"verdict": "not-comparable"}
    reasons = ["the paper uses rtd, this run pendigits", "fewer rounds"]
    assert render.annotated(line, names, "Paper, Table 5", reasons, "kept/table05.csv") == (
        "Digits (pendigits; paper: RTD), 10 clients, A (table05)\n"
        "cell          0.902 ± 0.005 [0.774]\n"
        "metric        Accuracy (higher is better)\n"
        "rebuilt       0.902, mean over 5 seeds; data: Pendigits, digits on a tablet\n"
        "95% interval  0.897 to 0.907\n"
        "published     0.774, Paper, Table 5\n"
        "verdict       not comparable: the paper uses rtd, this run pendigits; fewer rounds\n"
        "from          kept/table05.csv"
    )


def test_a_cell_in_words_says_nothing_of_what_there_is_not():
    line = BASE | {"published": "", "ci_low": "", "ci_high": "", "n_seeds": 1.0}
    assert render.annotated(line) == (
        "r, A (t)\ncell     0.902\nmetric   Accuracy (higher is better)\nrebuilt  0.902; data: d"
    )
    lost = BASE | {"mean": "", "ci_low": "", "ci_high": "", "n_seeds": 0.0}
    lost |= {"verdict": "not-comparable"}
    assert render.annotated(lost).splitlines()[1:] == [
        "cell       [0.774]",
        "metric     Accuracy (higher is better)",
        "published  0.774",
        "verdict    not comparable",
    ]


# ---- LaTeX -----------------------------------------------------------------------------------


def latex(*lines, notes=(), reference=None):
    return render.latex(grid(frame(*lines), "About 5%.", notes, reference=reference), "t")


def test_latex_has_published_values_below_and_escapes():
    gap = {"gap_low": 0.1, "gap_high": 0.2}
    tex = latex({"row": "RTD & more"} | gap, notes=[Note("Lost.", ("RTD & more",))], reference="B")
    assert r"RTD \& more\textsuperscript{1} & 0.902 $\pm$ 0.005 $\uparrow$ \\" in tex
    assert "     & [0.774] $\\neq$ \\\\[2pt]" in tex
    assert r"\caption{About 5\%.}" in tex
    assert r"\textsuperscript{1} Lost." in tex
    assert r"\toprule" in tex


@pytest.mark.parametrize(
    ("plain", "escaped"),
    [
        ("-0.050", "$-$0.050"),
        ("+1", "$+$1"),
        ("a_b {c} #1 $2 50%", r"a\_b \{c\} \#1 \$2 50\%"),
        (r"a\b^c~d", r"a\textbackslash{}b\textasciicircum{}c\textasciitilde{}d"),
        ("|M| < 1–2", "$|$M$|$ $<$ 1--2"),
        ("x¹²,³", r"x\textsuperscript{12,3}"),
    ],
)
def test_texts_are_escaped_for_latex(plain, escaped):
    assert render.tex(plain) == escaped


def test_a_published_value_alone_takes_one_line():
    tex = latex({"mean": None, "ci_low": None, "ci_high": None, "n_seeds": 0, "verdict": None})
    assert r"r & [0.774] \\" in tex


def test_what_a_paper_prints_after_plus_minus_stands_in_the_brackets():
    tex = latex({"published_plus_minus": 0.02})
    assert r"[0.774 $\pm$ 0.020]" in tex
    assert "in brackets is the paper's own" in tex


def test_latex_comes_in_parts_that_a_page_holds_with_one_number():
    lines = [{"row": f"row {i}", "column": f"m{j}"} for i in range(40) for j in range(7)]
    parts = latex(*lines, notes=[Note("fewer rounds")]).split(r"\begin{table}")[1:]
    assert [part.count(r"\label") for part in parts] == [1] + [0] * (len(parts) - 1)
    assert [part.count("fewer rounds") for part in parts] == [0] * (len(parts) - 1) + [1]
    assert all(part.count(r"\addtocounter{table}{-1}") == 1 for part in parts[1:])
    assert all(part.count(r"\\") <= render.TALLEST for part in parts)
    columns = {len(line.split("&")) - 1 for line in "\n".join(parts).splitlines() if "&" in line}
    assert max(columns) < 7
    assert sum(part.count("[0.774]") for part in parts) == 280


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path):
    lines = [
        {"row": f"A long name of a row & its data, number {i}", "column": f"a method of name {j}"}
        | {"gap_low": 0.1, "gap_high": 0.2}
        for i in range(12)
        for j in range(12)
    ]
    tex = latex(*lines, notes=[Note("50% | lost.", ("r",)), Note("x" * 20)], reference="|M| <= 3")
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
        + tex
        + r"\end{document}"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
    assert "too large for page" not in done.stdout
