"""Cells, verdicts and how they are shown."""

import io
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from fedreact.paper import cells, figures, render

SPEC = {
    "title": "Accuracy",
    "rows": {"RTD - 10 clients": "s10", "RTD & more": "s100"},
    "columns": {"A1": "a1", "SC": "sc"},
    "metrics": ["accuracy", "rand"],
}
PUBLISHED = {
    "source": "Paper, Table 5",
    "data": "rtd",
    "metric": "accuracy",
    "columns": ["A1", "SC", "IFCA"],
    "rows": {"RTD - 10 clients": [0.9, 0.75, 0.701], "RTD & more": [0.50, 0.60, 0.7]},
    "unstated": {},
}


def scores(data="rtd", seeds=(0, 1, 2)):
    lines = []
    for setting in ("s10", "s100"):
        for method, level in (("a1", 0.9), ("sc", 0.7)):
            for seed in seeds:
                # Two rounds, 0.02 apart around the seed's mean.
                for t, shift in ((1, -0.01), (2, 0.01)):
                    accuracy = level + 0.01 * (seed - 1) + shift
                    lines.append([setting, data, seed, method, t, accuracy, 1.0])
    columns = ["setting", "data", "seed", "method", "round", "accuracy", "rand"]
    return pd.DataFrame(lines, columns=columns)


def cell(table, row, column, metric="accuracy"):
    chosen = table[(table.row == row) & (table.column == column) & (table.metric == metric)]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_summary_by_hand():
    # 0.1, 0.2, 0.3: mean 0.2, sd 0.1, t(0.975, 2) = 4.302653.
    s = cells.summarise([0.1, 0.2, 0.3])
    assert s.mean == pytest.approx(0.2)
    assert s.ci[1] - s.mean == pytest.approx(4.302653 * 0.1 / 3**0.5, rel=1e-6)
    assert s.prediction[1] - s.mean == pytest.approx(4.302653 * 0.1 * (4 / 3) ** 0.5, rel=1e-6)


def test_intervals_stay_within_the_scores_bounds():
    s = cells.summarise([0.9, 1.0], (0.0, 1.0))
    assert s.ci == (pytest.approx(0.95 - 0.635310), 1.0)


def test_one_seed_has_no_interval():
    assert np.isnan(cells.summarise([0.5]).ci).all()


def test_verdicts():
    table = cells.build("t", SPEC, PUBLISHED, scores(), [])
    assert cells.reasons(table, PUBLISHED, []) == {}
    a1 = cell(table, "RTD - 10 clients", "A1")
    assert (a1["mean"], a1["published"]) == (pytest.approx(0.9), 0.9)
    assert a1["verdict"] == "reproduced"
    # 0.70 with sd 0.01 over three seeds: a further seed lies within 0.70 +- 0.0497.
    assert cell(table, "RTD - 10 clients", "SC")["verdict"] == "reproduced"
    assert cell(table, "RTD & more", "SC")["verdict"] == "differs"
    assert cell(table, "RTD & more", "A1")["verdict"] == "differs"
    assert cell(table, "RTD & more", "A1")["difference"] == pytest.approx(0.4)


@pytest.mark.parametrize(("decimals", "verdict"), [(4, "differs"), (3, "reproduced")])
def test_published_values_are_taken_as_rounded(decimals, verdict):
    # The prediction interval ends at 0.7497: 0.750 may be a rounded 0.7496, 0.7500 may not.
    s = cells.summarise([0.69, 0.70, 0.71])
    assert cells.judge(s, 0.75, decimals) == verdict


@pytest.mark.parametrize(
    ("data", "seeds", "differences", "unstated", "reason"),
    [
        ("pendigits", (0, 1), [], {}, "the data is pendigits"),
        ("rtd", (0, 1), ["fewer rounds"], {}, "fewer rounds"),
        ("rtd", (0,), [], {}, "one seed has no interval"),
        ("rtd", (0, 1), [], {"RTD - 10 clients": "beta is lost"}, "beta is lost"),
    ],
)
def test_what_cannot_be_compared_is_not_judged(data, seeds, differences, unstated, reason):
    published = PUBLISHED | {"unstated": unstated}
    table = cells.build("t", SPEC, published, scores(data, seeds), differences)
    reasons = cells.reasons(table, published, differences)
    assert cell(table, "RTD - 10 clients", "A1")["verdict"] == "not-comparable"
    assert reason in reasons["RTD - 10 clients"][0]


def test_unpublished_cells_are_empty_and_methods_not_built_are_absent():
    table = cells.build("t", SPEC, PUBLISHED, scores(), [])
    assert pd.isna(cell(table, "RTD - 10 clients", "A1", "rand")["published"])
    assert set(table["column"]) == {"A1", "SC"}
    assert list(table.columns) == cells.COLUMNS


def test_rows_whose_labels_are_lost_stand_alone():
    lost = PUBLISHED | {"rows": {}, "unlabelled": [[0.9, 0.75, 0.701]]}
    table = cells.build("t", SPEC, lost, scores(), [])
    alone = table[table["n_seeds"] == 0]
    assert alone["row"].unique().tolist() == ["Published, label lost, 1"]
    assert alone["published"].tolist() == [0.9, 0.75, 0.701]
    assert (alone["verdict"] == "not-comparable").all()
    assert alone["mean"].isna().all()
    assert table[table["n_seeds"] > 0]["published"].isna().all()
    notes = render.notes(cells.reasons(table, lost, []))
    assert "lacks the labels" in notes[0]
    text = render.markdown(table, render.caption("T", table, "quick", "P"), notes)
    assert "| Published, label lost, 1 | published | 0.900 | 0.750 | 0.701 |" in text
    assert "Rebuilt on rtd at" in text


def test_a_method_without_rand_score_has_an_empty_cell():
    soft = scores()
    soft.loc[soft["method"] == "sc", "rand"] = np.nan
    table = cells.build("t", SPEC, PUBLISHED, soft, [])
    assert len(table) == 4 + 2
    lines = render.lines(table)
    assert lines[-2][1:] == ["rebuilt", "1.000", ""]


def shown():
    table = cells.build("t", SPEC, PUBLISHED, scores("pendigits"), ["fewer rounds"])
    reasons = cells.reasons(table, PUBLISHED, ["fewer rounds"])
    text = render.caption(SPEC["title"], table, "quick", PUBLISHED["source"])
    return table, text, render.notes(reasons)


def test_caption_and_notes_name_the_data_the_scale_and_the_reasons():
    _, text, notes = shown()
    assert "pendigits" in text
    assert "quick" in text
    assert "3 seeds" in text
    assert notes == [
        "Not comparable with the published values: the data is pendigits, the paper's is rtd; "
        "fewer rounds."
    ]


def test_markdown_has_a_cell_for_each_column():
    table, text, notes = shown()
    lines = [x for x in render.markdown(table, text, notes).splitlines() if x.startswith("|")]
    assert {line.count("|") for line in lines} == {5}
    assert "| RTD - 10 clients | published | 0.900 | 0.750 |" in lines
    assert "|  | difference | +0.000 | -0.050 |" in lines


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
    for part, column, number in zip(parts, SPEC["columns"], ("0.900", "0.750")):
        assert f"&  & {column} " in part
        assert f"RTD - 10 clients & published & {number} " in part


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_latex_compiles(tmp_path):
    table, text, notes = shown()
    (tmp_path / "t.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs,graphicx}\begin{document}"
        + render.latex(table, "t", text, notes)
        + r"\end{document}"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def draw() -> list[Figure]:
    counts = np.array([[5, 0, 3], [1, 4, 4]])
    curves = {"EC": "a1", "SC": "sc"}
    by_C = pd.DataFrame(
        [[seed, m, C, m / C, C] for seed in (0, 1) for m in (16, 64) for C in (1, 2, 3)],
        columns=["seed", "samples", "n_clusters", "wcss", "silhouette"],
    )
    settings = {"ten": "s10", "hundred": "s100"}
    return [
        figures.label_distribution(counts, "Labels"),
        figures.rand_score(scores(), settings, curves, "Rand score"),
        figures.n_clusters(by_C, "wcss", "Elbow"),
        figures.gain(scores(), settings, {"EC": "a1"}, "sc", "Gain"),
    ]


def test_each_method_has_one_look():
    looks = [figures.style(method, 0) for method in figures.STYLES]
    assert len({(colour, line) for colour, line, _ in looks}) == len(looks)
    assert len({marker for *_, marker in looks}) == len(looks)
    assert figures.style("a-users-method", 1) != figures.style("another", 2)


def test_figures_show_the_numbers():
    bars, lines, elbow, gains = draw()
    assert [axes.get_title() for axes in lines.axes] == ["ten", "hundred"]
    curve = elbow.axes[0].get_lines()[0]
    assert curve.get_xdata().tolist() == [1, 2, 3]
    assert curve.get_ydata() == pytest.approx([16, 8, 16 / 3])
    # EC is 0.2 above SC by every seed, in both settings.
    dots = gains.axes[0].get_lines()[0]
    assert dots.get_xdata() == pytest.approx([0.2, 0.2])
    heights = [p.get_height() for p in bars.axes[0].patches]
    assert heights == [5, 0, 3, 1, 4, 4]
    curve = lines.axes[0].get_lines()[0]
    assert curve.get_xdata().tolist() == [1, 2]
    assert curve.get_ydata().tolist() == [1.0, 1.0]


def test_same_figure_same_bytes(tmp_path):
    for first, second in zip(draw(), draw()):
        for figure, name in ((first, "a"), (second, "b")):
            figures.save(figure, tmp_path / f"{name}.pdf", tmp_path / f"{name}.png")
        for suffix in (".pdf", ".png"):
            a, b = (tmp_path / f"{name}{suffix}" for name in "ab")
            assert a.read_bytes() == b.read_bytes()


def test_csv_reads_back_as_it_was_written():
    table, _, _ = shown()
    text = table.to_csv(index=False, float_format="%.6f")
    assert pd.read_csv(io.StringIO(text))["mean"].tolist() == pytest.approx(table["mean"].tolist())
