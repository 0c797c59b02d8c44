"""Figures that are drawn from scores, as tables are: Rand score and gain; and of a partition."""

import numpy as np
import pandas as pd
import pytest
from small_figures import COUNTS, CURVES, SETTINGS, drawn, of_curves, of_scores
from small_table import scores

from fedreact.figures.curves import Curves
from fedreact.figures.gain import Gain
from fedreact.figures.looks import look, of_paper
from fedreact.figures.rand_score import RandScore
from fedreact.figures.recovery import until_back
from fedreact.figures.rounds import RoundCurves


def test_a_panel_of_data_that_cannot_be_had_is_left_out_and_named():
    kind, lines = of_curves()
    cells = of_scores(kind, lines)
    first = next(iter(kind.panels))
    figure = kind.draw("t", {key: lines for key, lines in cells.items() if key[0] != first}, [])
    assert [axes.get_title() for axes in figure.axes] == list(kind.panels)[1:]
    assert figure.get_suptitle().replace("\n", " ").startswith(f"t, left out: {first}, ")


def test_a_look_stands_for_one_label_in_all_panels():
    kind = Curves(
        {"A": {"EC": "a1", "SC": "a1"}, "B": {"X": "a1", "EC": "a1"}}, "s10", over="bytes"
    )
    lines = scores().assign(bytes=lambda s: 0.5 * s["round"])
    looks = {}
    for axes in kind.draw("t", of_scores(kind, lines), []).axes:
        for bars in axes.containers:
            line = bars.lines[0]
            look = line.get_color(), line.get_linestyle(), line.get_marker()
            looks.setdefault(bars.get_label(), set()).add(look)
    assert [len(drawn) for drawn in looks.values()] == [1, 1, 1]
    assert len(set.union(*looks.values())) == 3


def test_a_long_name_of_a_score_is_no_longer_than_its_axis():
    kind = Curves({"": {"EC": "a1"}}, "s10", over="bytes", score="smape")
    lines = scores().assign(bytes=lambda s: 0.5 * s["round"], smape=0.5)
    figure = kind.draw("t", of_scores(kind, lines), [])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    assert axes.get_ylabel() == "Symmetric mean absolute\npercentage error"
    assert axes.yaxis.label.get_window_extent().height < figure.bbox.height - 20


def test_rand_scores_are_curves_over_the_rounds_in_a_panel_a_setting(tmp_path):
    figure = drawn("rand-score", tmp_path)
    assert [axes.get_title() for axes in figure.axes] == ["ten", "hundred"]
    curve = figure.axes[0].get_lines()[0]
    assert curve.get_xdata().tolist() == [1, 2]
    assert curve.get_ydata().tolist() == [1.0, 1.0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(CURVES)
    assert figure.get_suptitle() == "a title, mean over 3 seeds with 95% interval"


def test_whiskers_are_intervals_over_seeds_within_the_scores_bounds():
    kind = RandScore({"ten": "s10"}, {"EC": "a1"})
    lines = scores(seeds=(0, 1)).assign(rand=lambda s: 0.95 + 0.01 * s["seed"])
    lines.loc[lines["round"] == 2, "rand"] -= 0.5
    (axes,) = kind.draw("t", of_scores(kind, lines), []).axes
    (curve,) = axes.containers
    assert curve.lines[0].get_ydata().tolist() == pytest.approx([0.955, 0.455])
    # sd 0.00707, t(0.975, 1) = 12.7062: +- 0.0635310; 1 is the largest.
    first, second = curve.lines[2][0].get_segments()
    assert first[:, 1] == pytest.approx([0.891469, 1.0], abs=1e-6)
    assert second[:, 1] == pytest.approx([0.391469, 0.518531], abs=1e-6)


def test_equal_curves_stay_visible():
    """The lower one is broader, and each has its intervals and markers at rounds of its own."""
    kind = RandScore({"ten": "s10"}, CURVES)
    lines = pd.concat([scores().assign(round=t) for t in range(1, 41)]).assign(rand=1.0)
    lines = lines.drop_duplicates(["setting", "method", "seed", "round"])
    (axes,) = kind.draw("t", of_scores(kind, lines), []).axes
    below, above = (curve.lines[0] for curve in axes.containers)
    assert below.get_linewidth() > above.get_linewidth()
    assert below.get_zorder() < above.get_zorder()
    rounds = [
        {segment[0, 0] for segment in curve.lines[2][0].get_segments()} for curve in axes.containers
    ]
    assert len(rounds[0]) == len(rounds[1]) == 8
    assert not rounds[0] & rounds[1]


def test_accuracy_over_rounds_has_the_name_of_its_metric():
    kind = RoundCurves(SETTINGS, CURVES)
    axes = kind.draw("t", of_scores(kind), []).axes[0]
    assert axes.get_ylabel() == "Accuracy"
    assert axes.get_lines()[0].get_ydata() == pytest.approx([0.89, 0.91])


def test_methods_that_cannot_run_in_a_panel_have_no_curve_there():
    kind = RandScore(SETTINGS, CURVES)
    cells = of_scores(kind, skipped=[("hundred", "SC")])
    ten, hundred = kind.draw("t", cells, []).axes
    assert [curve.get_label() for curve in ten.containers] == ["EC", "SC"]
    assert [curve.get_label() for curve in hundred.containers] == ["EC"]


def test_methods_look_the_same_in_each_panel():
    kind = RandScore(SETTINGS, {"IFCA": "sc", "Fed-REACT": "a1"} | {"SC": "sc"})
    panels = kind.draw("t", of_scores(kind), []).axes
    looks = [[(line.get_color(), line.get_linestyle()) for line in p.get_lines()] for p in panels]
    assert looks[0] == looks[1]
    known = RandScore({"": "s10"}, {"X": "sc"})
    with of_paper({"X": 7}, {}):
        (curve,) = known.draw("t", of_scores(known), []).axes[0].containers
    line = curve.lines[0]
    assert (line.get_color(), line.get_linestyle(), line.get_marker()) == look(7)


def test_a_gain_is_the_difference_by_seed(tmp_path):
    axes = drawn("gain", tmp_path).axes[0]
    # EC is 0.2 above SC by every seed, in both settings.
    dots = axes.get_lines()[0]
    assert dots.get_xdata() == pytest.approx([0.2, 0.2])
    assert [text.get_text() for text in axes.get_yticklabels()] == list(SETTINGS)


def test_the_interval_of_a_gain_is_that_of_the_differences():
    kind = Gain({"ten": "s10"}, {"EC": "a1"}, "sc")
    lines = scores(seeds=(0, 1))
    of_ec = lines["method"] == "a1"
    lines.loc[of_ec, "accuracy"] += 0.2 * lines["seed"][of_ec]  # the gains are 0.2 and 0.4
    axes = kind.draw("t", of_scores(kind, lines), []).axes[0]
    (bars,) = axes.containers
    (ends,) = bars.lines[2][0].get_segments()
    assert ends[:, 0] == pytest.approx([0.3 - 1.27062, 0.3 + 1.27062], rel=1e-5)
    assert bars.lines[0].get_xdata() == pytest.approx([0.3])


def test_settings_stand_from_top_to_bottom_and_methods_side_by_side():
    kind = Gain(SETTINGS, {"EC": "a1", "again": "a1"}, "sc")
    lines = scores()
    lines.loc[(lines["setting"] == "s100") & (lines["method"] == "a1"), "accuracy"] += 0.05
    axes = kind.draw("t", of_scores(kind, lines), []).axes[0]
    first, second = (bars.lines[0] for bars in axes.containers)
    assert first.get_xdata() == pytest.approx([0.2, 0.25])
    top, bottom = axes.get_yticks()
    assert top > bottom
    assert (first.get_ydata() > second.get_ydata()).all()
    assert np.round(first.get_ydata()).tolist() == [top, bottom]


def test_bars_are_samples_of_each_label_and_cluster(tmp_path):
    axes = drawn("label-distribution", tmp_path).axes[0]
    heights = [p.get_height() for p in axes.patches]
    assert heights == [5, 0, 3, 1, 4, 4] == COUNTS.ravel().tolist()
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["Cluster 1", "Cluster 2"]
    places = np.array([p.get_x() + p.get_width() / 2 for p in axes.patches]).reshape(2, 3)
    assert places.mean(axis=0) == pytest.approx([0, 1, 2])
    assert (places[0] < places[1]).all()


def test_a_gain_that_cannot_be_had_has_no_mark():
    kind = Gain(SETTINGS, CURVES, "a1")
    cells = of_scores(kind, skipped=[("hundred", "SC")])
    axes = kind.draw("t", cells, []).axes[0]
    marks = {line.get_label(): len(line.get_xdata()) for line in axes.get_lines()}
    places = [bars.lines[0].get_ydata().tolist() for bars in axes.containers]
    assert [len(of_method) for of_method in places] == [2, 1], marks
    assert places[1][0] > 0.5  # beside the first setting, which is at 1


def test_the_legend_has_what_any_panel_shows():
    kind = RandScore(SETTINGS, CURVES)
    cells = of_scores(kind, skipped=[("ten", "SC")])
    figure = kind.draw("t", cells, [])
    assert sorted(text.get_text() for text in figure.legends[0].get_texts()) == sorted(CURVES)


def test_a_figure_of_nothing_says_so():
    for kind in (RandScore(SETTINGS, CURVES), Gain(SETTINGS, CURVES, "a1")):
        assert "nothing can be shown" in kind.draw("t", {}, []).get_suptitle()


def test_an_odd_number_of_panels_leaves_no_empty_one():
    kind = RandScore(SETTINGS | {"again": "s10"}, CURVES)
    panels = kind.draw("t", of_scores(kind), []).axes
    assert [axes.get_visible() for axes in panels] == [True, True, True, False]
    assert panels[1].get_xlabel() == panels[2].get_xlabel() == "Communication round"


def test_dots_of_a_curve_stand_by_what_they_took():
    kind, lines = of_curves()
    figure = kind.draw("t", of_scores(kind, lines), [])
    left, right = figure.axes
    curves = {bars.get_label(): bars.lines[0] for bars in left.containers}
    assert list(curves) == ["SC", "EC"]
    assert curves["EC"].get_xdata().tolist() == [10, 20]
    assert curves["EC"].get_ydata() == pytest.approx([0.89, 0.91])
    # The first setting's two rounds took nothing, the second's 10 and 20.
    assert curves["SC"].get_xdata().tolist() == [0, 0, 10, 20]
    assert curves["SC"].get_ydata() == pytest.approx([0.69, 0.71, 0.69, 0.71])
    assert left.get_xscale() == right.get_xscale() == "symlog"
    assert left.get_title() == "left"
    assert "GFLOPs" in left.get_xlabel()
    assert left.get_ylabel() == "Accuracy"


def test_over_several_costs_each_panel_has_a_row():
    kind = Curves({"up": {"EC": "a1"}, "low": {"SC": "sc"}}, "s10", over=("gflops", "bytes_up"))
    lines = scores().assign(
        gflops=lambda s: 10.0 * s["round"], bytes_up=lambda s: 0.5 * s["round"] - 0.5
    )
    panels = kind.draw("t", of_scores(kind, lines), []).axes
    assert [axes.get_title() for axes in panels] == ["up", "up", "low", "low"]
    assert [axes.get_xscale() for axes in panels] == ["log", "symlog", "log", "symlog"]
    assert [bool(axes.get_xlabel()) for axes in panels] == [False, False, True, True]
    (bars,) = panels[3].containers
    assert bars.lines[0].get_xdata().tolist() == [0, 0.5]


def test_curves_over_what_is_never_nothing_have_a_logarithmic_axis():
    kind = Curves({"": {"EC": "a1"}}, "s10", over="bytes")
    lines = scores().assign(bytes=lambda s: 0.5 * s["round"])
    (axes,) = kind.draw("t", of_scores(kind, lines), []).axes
    assert axes.get_xscale() == "log"
    skipped = of_scores(kind, lines, skipped=[("", "EC 0")])
    assert not kind.draw("t", skipped, []).axes[0].containers


def test_rounds_until_back_by_hand():
    """Before, the mean is .8; of three rounds it has to be .79, which rounds 5 to 7 have first."""
    values = pd.DataFrame(
        {0: [0.7, 0.9, 0.2, 0.75, 0.78, 0.8, 0.79, 0.5], 1: [0.8] * 8, 2: [1] * 2 + [0] * 6}
    )
    values.index = range(1, 9)
    assert until_back(values, 3, 0.01, 3).tolist()[:2] == [2, 0]
    assert np.isnan(until_back(values, 3, 0.01, 3)[2])
    assert until_back(values, 3, 0.06, 3)[0] == 1


def test_methods_that_are_never_back_are_said(tmp_path):
    figure = drawn("recovery", tmp_path)
    dots = figure.axes[1]
    assert [text.get_text() for text in dots.texts] == ["never"]
    assert [float(bars.lines[0].get_xdata()[0]) for bars in dots.containers] == [1.0]
    assert [text.get_text() for text in dots.get_yticklabels()] == ["EC", "SC"]
