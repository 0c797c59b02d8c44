"""Bars, sensitivity to options, and differences of clients."""

import pytest
from small_figures import bars, differences, drawn, sensitivity


def test_a_bar_is_a_mean_over_seeds(tmp_path):
    kind, cells, _ = bars(tmp_path)
    (axes,) = kind.draw("t", cells, []).axes
    groups = [
        [bar.get_height() for bar in bars] for bars in axes.containers if hasattr(bars, "patches")
    ]
    for heights, label in zip(groups, kind.bars):
        for height, group in zip(heights, kind.groups):
            wanted = cells[group, label].groupby("seed")["accuracy"].mean().mean()
            assert height == pytest.approx(wanted)


def test_what_cannot_run_has_no_bar(tmp_path):
    kind, cells, _ = bars(tmp_path)
    fewer = {place: lines for place, lines in cells.items() if place[1] != "SC"}
    (axes,) = kind.draw("t", fewer, []).axes
    assert [label for *_, label in zip(*axes.get_legend_handles_labels())] == ["EC"]


def test_a_panel_for_each_option(tmp_path):
    left, right = drawn("sensitivity", tmp_path).axes
    assert left.get_xlabel() == "L"
    assert right.get_xlabel() == "tau"
    assert left.containers[0].lines[0].get_ydata() == pytest.approx([0.01, 0.1])
    assert right.containers[0].lines[0].get_xdata() == pytest.approx([2.0, 4.0])


def test_options_of_the_algorithm_are_asked_for(tmp_path):
    kind, _, _ = sensitivity(tmp_path)
    entry = kind.cells()["lam=0.1", "ten"]
    assert entry == {"setting": "s10", "method": "a1", "options": {"lam": 0.1}}


def test_clients_that_gain_are_counted(tmp_path):
    kind, cells, _ = differences(tmp_path)
    (axes,) = kind.draw("t", cells, []).axes
    # Of six clients one has 0 by either method.
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ten\n5 better, 0 worse"]
    means = [1 / (1 + seed) for seed in (0, 1, 2)]
    assert axes.collections[0].get_offsets()[-1, 0] == pytest.approx(sum(means) / 3 / 2)
    assert kind.draw("t", {}, []).axes  # of missing data nothing is drawn
