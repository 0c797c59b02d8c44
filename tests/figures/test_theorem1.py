"""The figure of Theorem 1."""

import pandas as pd
import pytest
from small_figures import theorem

from fedreact.figures.theorem1 import Theorem1
from fedreact.studies import theorem1


def test_of_a_small_study(tmp_path):
    study = theorem1.Theorem1((1, 5), (0.7, 1.0), clients=3, rounds=20)
    table = pd.DataFrame(study.run([0, 1]), columns=study.COLUMNS)
    assert len(table) == 8
    table.to_csv(tmp_path / "t.csv", index=False)
    figure = Theorem1().draw("title", {}, [tmp_path / "t.csv"])
    assert len(figure.axes[0].containers) == 2
    assert "8 of 8" in figure.axes[0].texts[-1].get_text()
    assert figure.get_suptitle() == "title, mean over 2 seeds with 95% interval"


def test_it_says_how_loose_the_bound_is_and_where_it_fails(tmp_path):
    figure = Theorem1().draw("title", {}, [theorem(tmp_path / "t.csv")])
    # Measured: 0.03 in the mean. Bounds: 8 and 4, and 1.001 at w = 4.
    text = figure.axes[0].texts[-1].get_text()
    wanted = "The bound is 33 to 270 times the measured value\nand holds in 10 of 12 runs"
    assert text == wanted


def test_curves_are_means_over_seeds_and_the_bound_beside(tmp_path):
    axes = Theorem1().draw("title", {}, [theorem(tmp_path / "t.csv")]).axes[0]
    measured = [bars.lines[0] for bars in axes.containers]
    assert all(line.get_ydata() == pytest.approx([0.03] * 3) for line in measured)
    dashed = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    assert len(dashed) == 2
    assert dashed[0].get_xdata().tolist() == [1, 2, 4]
    assert dashed[0].get_ydata() == pytest.approx([8, 4, 1.001])
    (certain,) = [line for line in axes.get_lines() if line.get_linestyle() == ":"]
    assert set(certain.get_ydata()) == {32}  # beta M
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_bars_end_above_zero(tmp_path):
    """Half an interval is 0.127, the mean 0.03: on a log scale a bar cannot reach below."""
    axes = Theorem1().draw("title", {}, [theorem(tmp_path / "t.csv")]).axes[0]
    for bars in axes.containers:
        for (_, low), (_, high) in bars.lines[2][0].get_segments():
            assert low == pytest.approx(0.003)
            assert high == pytest.approx(0.03 + 0.127062, rel=1e-5)
