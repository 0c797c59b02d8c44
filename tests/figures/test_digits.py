"""The figure of what the digits look like."""

import numpy as np
import pytest
from small_figures import digits

from fedreact.data.dataset import SeriesDataset
from fedreact.figures.digits import Digits


@pytest.mark.parametrize("writers", [True, False])
def test_digits_of_writers(writers, tmp_path):
    file = digits(tmp_path / "d.npz", owners=writers)
    figure = Digits().draw("a title", {}, [file])
    figure.savefig(tmp_path / "x.png")
    assert len(figure.axes) == 30
    assert {len(axes.lines) for axes in figure.axes} == {3}  # strokes, and the start
    names = [axes.get_ylabel() for axes in figure.axes[::10]]
    assert names == [f"{'Writer' if writers else 'Sample'} {i + 3 * writers}" for i in (1, 2, 3)]
    drawn = figure.axes[12].lines[0].get_xdata()  # the second row's 2
    X = SeriesDataset.load(file).X
    assert np.array_equal(drawn, X[12, 0, :6])


def test_digits_without_a_pen_are_one_stroke_each(tmp_path):
    data = SeriesDataset.load(digits(tmp_path / "d.npz"))
    X = data.X.copy()
    X[:, 2] = np.arange(12) / 12  # a third coordinate
    lengths = np.full(60, 9)
    X[:, :, 9:] = 0
    SeriesDataset("rtd", X, lengths, data.y).save(tmp_path / "rtd.npz")
    figure = Digits().draw("a title", {}, [tmp_path / "rtd.npz"])
    assert {len(axes.lines) for axes in figure.axes} == {2}
    assert np.array_equal(figure.axes[0].lines[0].get_ydata(), X[0, 1, :9])  # no padding
